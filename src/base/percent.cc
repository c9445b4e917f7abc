#include "base/percent.h"

#include <charconv>

namespace orrery {

namespace {

bool is_unreserved(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

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
    std::string out;
    out.reserve(text.size());
    for (;;) {
        // Escapes are rare: copy what lies between them at once.
        const std::size_t escape = text.find('%');
        out.append(text.substr(0, escape));
        if (escape == std::string_view::npos) return out;
        const std::string_view digits = text.substr(escape + 1, 2);
        const char* const digits_end = digits.data() + digits.size();
        unsigned char byte = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits_end, byte, 16);
        if (digits.size() != 2 || error != std::errc() || end != digits_end) return std::nullopt;
        out += static_cast<char>(byte);
        text.remove_prefix(escape + 3);
    }
}

}  // namespace orrery
