#include "base/base64.h"

#include <array>
#include <cstdint>

namespace orrery {

namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kInvalid = 0xff;

constexpr std::array<std::uint8_t, 256> kValues = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(kInvalid);
    for (std::uint8_t i = 0; i < 64; ++i) {
        values[static_cast<unsigned char>(kAlphabet[i])] = i;
    }
    return values;
}();

std::uint32_t byte_at(std::string_view bytes, std::size_t index) {
    return index < bytes.size() ? static_cast<unsigned char>(bytes[index]) : 0;
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
    std::size_t at = out.size();
    out.resize(at + (bytes.size() + 2) / 3 * 4, '=');
    for (std::size_t i = 0; i < bytes.size(); i += 3, at += 4) {
        const std::uint32_t group =
            byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8 | byte_at(bytes, i + 2);
        out[at] = kAlphabet[group >> 18];
        out[at + 1] = kAlphabet[group >> 12 & 63];
        if (i + 1 < bytes.size()) out[at + 2] = kAlphabet[group >> 6 & 63];
        if (i + 2 < bytes.size()) out[at + 3] = kAlphabet[group & 63];
    }
}

std::string base64_encode(std::string_view bytes) {
    std::string out;
    append_base64(out, bytes);
    return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) {
        text.remove_suffix(1);
    }
    std::string out(text.size() * 3 / 4, '\0');
    char* to = out.data();
    std::uint32_t seen = 0;
    const auto value = [&](std::size_t index) -> std::uint32_t {
        const std::uint32_t found = kValues[static_cast<unsigned char>(text[index])];
        seen |= found;
        return found;
    };
    for (; text.size() >= 4; text.remove_prefix(4)) {
        const std::uint32_t group = value(0) << 18 | value(1) << 12 | value(2) << 6 | value(3);
        *to++ = static_cast<char>(group >> 16);
        *to++ = static_cast<char>(group >> 8);
        *to++ = static_cast<char>(group);
    }
    // Two or three characters are left. Their last 4 or 2 bits must be zero; set, they would be a
    // second spelling.
    if (!text.empty()) {
        const bool two_bytes = text.size() == 3;
        const std::uint32_t group =
            value(0) << 18 | value(1) << 12 | (two_bytes ? value(2) << 6 : 0);
        if ((group & (two_bytes ? 0xffU : 0xffffU)) != 0) return std::nullopt;
        *to++ = static_cast<char>(group >> 16);
        if (two_bytes) *to++ = static_cast<char>(group >> 8);
    }
    if ((seen & ~63U) != 0) return std::nullopt;
    return out;
}

std::optional<std::string> base64url_decode(std::string_view text) {
    while (text.ends_with('='))
        text.remove_suffix(1);
    std::string standard(text);
    for (char& c : standard) {
        if (c == '+' || c == '/' || c == '=') return std::nullopt;
        if (c == '-') c = '+';
        if (c == '_') c = '/';
    }
    standard.append((4 - standard.size() % 4) % 4, '=');
    return base64_decode(standard);
}

}  // namespace orrery
