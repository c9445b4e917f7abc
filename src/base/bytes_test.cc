#include "base/bytes.h"

#include <gtest/gtest.h>

namespace orrery {
namespace bytes_test {

TEST(Bytes, BigEndianSortsLikeTheNumbers) {
    std::string one;
    std::string many;
    append_big_endian(one, std::uint64_t{1});
    append_big_endian(many, std::uint64_t{256});
    EXPECT_EQ(one, std::string("\0\0\0\0\0\0\0\1", 8));
    EXPECT_LT(one, many);
    ByteReader reader(many);
    EXPECT_EQ(reader.big_endian<std::uint64_t>(), 256U);
    EXPECT_TRUE(reader.ok());
}

TEST(Bytes, LittleEndianRoundTrips) {
    std::string bytes;
    append_little_endian(bytes, std::uint32_t{0x81020304});
    append_little_endian(bytes, std::uint64_t{1});
    EXPECT_EQ(bytes, std::string("\x04\x03\x02\x81\1\0\0\0\0\0\0\0", 12));
    ByteReader reader(bytes);
    EXPECT_EQ(reader.little_endian<std::uint32_t>(), 0x81020304U);
    EXPECT_EQ(reader.little_endian<std::uint64_t>(), 1U);
    EXPECT_TRUE(reader.ok() && reader.rest().empty());
    EXPECT_EQ(reader.little_endian<std::uint32_t>(), 0U);
    EXPECT_FALSE(reader.ok());
}

TEST(Bytes, VarintsRoundTrip) {
    for (const std::uint64_t value : {std::uint64_t{0},
                                      std::uint64_t{127},
                                      std::uint64_t{128},
                                      std::uint64_t{300},
                                      ~std::uint64_t{0}}) {
        std::string bytes;
        append_varint(bytes, value);
        ByteReader reader(bytes);
        EXPECT_EQ(reader.varint(), value);
        EXPECT_TRUE(reader.ok() && reader.rest().empty());
    }
    std::string example;
    append_varint(example, 300);
    EXPECT_EQ(example, "\xac\x02");
}

TEST(Bytes, OrderedVarintsRoundTripAndSortLikeTheNumbers) {
    std::string last;
    std::uint64_t last_value = 0;
    for (unsigned bit = 0; bit < 64; ++bit) {
        for (const std::uint64_t value : {(std::uint64_t{1} << bit) - 1,
                                          std::uint64_t{1} << bit,
                                          (std::uint64_t{1} << bit) + 1}) {
            std::string bytes;
            append_ordered_varint(bytes, value);
            ByteReader reader(bytes);
            EXPECT_EQ(reader.ordered_varint(), value);
            EXPECT_TRUE(reader.ok() && reader.rest().empty());
            EXPECT_EQ(last < bytes, last.empty() || last_value < value) << value;
            if (value > last_value) {
                last = bytes;
                last_value = value;
            }
        }
    }
    std::string bytes;
    append_ordered_varint(bytes, ~std::uint64_t{0});
    EXPECT_EQ(bytes, std::string(9, '\xff'));
    EXPECT_EQ(ByteReader(bytes).ordered_varint(), ~std::uint64_t{0});
    std::string example;
    append_ordered_varint(example, 300);
    EXPECT_EQ(example, "\x81\x2c");
    ByteReader cut("\x81");
    EXPECT_EQ(cut.ordered_varint(), 0U);
    EXPECT_FALSE(cut.ok());
}

TEST(Bytes, ReadingPastTheEndClearsOk) {
    ByteReader reader("ab");
    EXPECT_EQ(reader.big_endian<std::uint32_t>(), 0U);
    EXPECT_FALSE(reader.ok());
    EXPECT_EQ(reader.take(1), "");
    ByteReader endless(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11));
    endless.varint();
    EXPECT_FALSE(endless.ok());
}

TEST(Bytes, PrintsHex) { EXPECT_EQ(to_hex_upper("\x01\xAB\xFF"), "01ABFF"); }

}  // namespace bytes_test
}  // namespace orrery
