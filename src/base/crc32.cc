#include "base/crc32.h"

#include <array>
#include <cstddef>

namespace orrery {
namespace {

// Eight bytes per step: checking a batch of 2 MB blocks other work on the same thread. kTables[n]
// holds the contribution of a byte that n more zero bytes follow.
constexpr std::size_t kStep = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, kStep>;

constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320U : crc >> 1;
        }
        tables[0][byte] = crc;
    }
    for (std::size_t n = 1; n < kStep; ++n) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[n - 1][byte];
            tables[n][byte] = tables[0][before & 0xff] ^ before >> 8;
        }
    }
    return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
    std::uint32_t crc = 0xffffffffU;
    std::size_t at = 0;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
    for (; at + kStep <= bytes.size(); at += kStep) {
        std::uint32_t next = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            next ^= kTables[kStep - 1 - i][(crc >> 8 * i & 0xff) ^ byte(i)];
            next ^= kTables[kStep - 5 - i][byte(i + 4)];
        }
        crc = next;
    }
    for (; at < bytes.size(); ++at) {
        crc = kTables[0][(crc & 0xff) ^ byte(0)] ^ crc >> 8;
    }
    return ~crc;
}

}  // namespace orrery
