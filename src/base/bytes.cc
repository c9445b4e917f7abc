#include "base/bytes.h"

namespace orrery {

void append_varint(std::string& out, std::uint64_t value) {
    while (value >= 0x80) {
        out += static_cast<char>(value | 0x80);
        value >>= 7;
    }
    out += static_cast<char>(value);
}

void append_ordered_varint(std::string& out, std::uint64_t value) {
    unsigned following = 0;
    while (following < 8 && value >> (7 * (following + 1)) != 0) {
        ++following;
    }
    const unsigned ones = 0xff00U >> following & 0xff;
    // With eight bytes following, the first one is all ones and holds no bits of the number.
    const std::uint64_t top = following == 8 ? 0 : value >> (8 * following);
    out += static_cast<char>(ones | top);
    for (unsigned i = following; i > 0; --i) {
        out += static_cast<char>(value >> (8 * (i - 1)) & 0xff);
    }
}

std::string to_hex_upper(std::string_view bytes) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += kDigits[byte >> 4];
        out += kDigits[byte & 15];
    }
    return out;
}

std::uint64_t ByteReader::long_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const std::string_view next = take(1);
        if (!ok_) return 0;
        const auto byte = static_cast<unsigned char>(next[0]);
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) return value;
    }
    ok_ = false;
    return 0;
}

}  // namespace orrery
