#include "base/percent.h"

#include <array>
#include <cstdint>

namespace orrery {

namespace {

bool is_unreserved(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

constexpr std::array<std::uint8_t, 256> kHexValues = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(0xff);
    for (std::uint8_t i = 0; i < 16; ++i) {
        values[static_cast<unsigned char>("0123456789abcdef"[i])] = i;
        values[static_cast<unsigned char>("0123456789ABCDEF"[i])] = i;
    }
    return values;
}();

// More than 15 if it is no digit.
unsigned hex_value(char c) { return kHexValues[static_cast<unsigned char>(c)]; }

}  // namespace

std::string percent_encode(std::string_view bytes, std::string_view kept) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    std::string out;
    out.reserve(bytes.size());
    for (const char c : bytes) {
        if (is_unreserved(c) || kept.find(c) != std::string_view::npos) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += kDigits[byte >> 4];
        out += kDigits[byte & 15];
    }
    return out;
}

std::optional<std::string> percent_decode(std::string_view text) {
    std::size_t escape = text.find('%');
    if (escape == std::string_view::npos) return std::string(text);
    std::string out(text);
    std::size_t end = escape;
    while (escape < text.size()) {
        if (text[escape] != '%') {
            out[end++] = text[escape++];
            continue;
        }
        if (text.size() - escape < 3) return std::nullopt;
        const unsigned high = hex_value(text[escape + 1]);
        const unsigned low = hex_value(text[escape + 2]);
        if ((high | low) > 15) return std::nullopt;
        out[end++] = static_cast<char>(high << 4 | low);
        escape += 3;
    }
    out.resize(end);
    return out;
}

}  // namespace orrery
