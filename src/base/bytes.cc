#include "base/bytes.h"

namespace orrery {

void append_varint(std::string& out, std::uint64_t value) {
    while (value >= 0x80) {
        out += static_cast<char>(value | 0x80);
        value >>= 7;
    }
    out += static_cast<char>(value);
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

std::uint64_t ByteReader::varint() {
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

std::string_view ByteReader::take(std::size_t count) {
    if (count > rest_.size()) {
        ok_ = false;
        rest_ = {};
        return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
}

}  // namespace orrery
