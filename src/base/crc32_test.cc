#include "base/crc32.h"

#include <string>

#include <gtest/gtest.h>

namespace orrery {
namespace crc32_test {

// The check value of the CRC catalogues, and results of zlib.
TEST(Crc32, KnownValues) {
    EXPECT_EQ(crc32(""), 0U);
    EXPECT_EQ(crc32("a"), 0xe8b7be43U);
    EXPECT_EQ(crc32("123456789"), 0xcbf43926U);
    EXPECT_EQ(crc32("The quick brown fox jumps over the lazy dog"), 0x414fa339U);
    EXPECT_EQ(crc32(std::string(32, '\xff')), 0xff6cab0bU);
}

// Every length of the tail, against the bit-by-bit definition.
TEST(Crc32, EveryLengthMatchesTheDefinition) {
    std::string bytes;
    for (unsigned length = 0; length < 40; ++length) {
        std::uint32_t crc = 0xffffffffU;
        for (const char c : bytes) {
            crc ^= static_cast<unsigned char>(c);
            for (int bit = 0; bit < 8; ++bit) {
                crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320U : crc >> 1;
            }
        }
        EXPECT_EQ(crc32(bytes), ~crc) << length;
        bytes += static_cast<char>(length * 37 + 200);
    }
}

}  // namespace crc32_test
}  // namespace orrery
