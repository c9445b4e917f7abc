#include "json/text.h"

#include <charconv>
#include <cstdlib>

#include <simdjson.h>

#include "base/check.h"
#include "base/utf8.h"
#include "json/plain_run.h"

namespace orrery::json {

namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The four hex digits after `\u`, or -1.
int utf16_unit(std::string_view digits) {
    if (digits.size() < 4) return -1;
    int unit = 0;
    for (int i = 0; i < 4; ++i) {
        const int digit = hex_digit(digits[static_cast<std::size_t>(i)]);
        if (digit < 0) return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

bool is_high_surrogate(int unit) { return unit >= 0xd800 && unit <= 0xdbff; }
bool is_low_surrogate(int unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

// Length of the escape that `text` (starting with a backslash) begins with, or 0.
std::size_t escape_length(std::string_view text) {
    if (text.size() < 2) return 0;
    if (text[1] != 'u') {
        return std::string_view("\"\\/bfnrt").find(text[1]) == std::string_view::npos ? 0 : 2;
    }
    const int unit = utf16_unit(text.substr(2));
    if (unit < 0 || is_low_surrogate(unit)) return 0;
    if (!is_high_surrogate(unit)) return 6;
    if (text.size() < 12 || text[6] != '\\' || text[7] != 'u') return 0;
    return is_low_surrogate(utf16_unit(text.substr(8))) ? 12 : 0;
}

// Appends the character of a validated escape and returns the escape's length.
std::size_t append_unescaped(std::string& out, std::string_view escape) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (escape[1] != 'u') {
        out += kMeanings[kLetters.find(escape[1])];
        return 2;
    }
    const int unit = utf16_unit(escape.substr(2));
    if (!is_high_surrogate(unit)) {
        append_utf8(out, static_cast<char32_t>(unit));
        return 6;
    }
    const int low = utf16_unit(escape.substr(8));
    append_utf8(out, static_cast<char32_t>(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)));
    return 12;
}

}  // namespace

bool is_valid_utf8(std::string_view text) {
    return simdjson::validate_utf8(text.data(), text.size());
}

std::optional<std::string> minify(std::string_view text) {
    std::string out(text.size() + simdjson::SIMDJSON_PADDING, '\0');
    std::size_t length = 0;
    if (simdjson::minify(text.data(), text.size(), out.data(), length) != simdjson::SUCCESS) {
        return std::nullopt;
    }
    out.resize(length);
    return out;
}

std::size_t string_length(std::string_view text) {
    if (text.empty() || text[0] != '"') return 0;
    const char* const end = text.data() + text.size();
    const char* at = text.data() + 1;
    while (true) {
        at = valid_run_end(at, end);
        if (at == end) return 0;
        const auto length = static_cast<std::size_t>(at - text.data());
        if (*at == '"') return length + 1;
        const std::size_t escape = *at == '\\' ? escape_length(text.substr(length)) : 0;
        if (escape == 0) return 0;
        at += escape;
    }
}

std::size_t number_length(std::string_view text) {
    const char* const end = text.data() + text.size();
    const char* at = text.data();
    const auto skip_digits = [&at, end] {
        const char* const from = at;
        while (at != end && *at >= '0' && *at <= '9') {
            ++at;
        }
        return at != from;
    };
    if (at != end && *at == '-') ++at;
    if (at != end && *at == '0') {
        ++at;
    } else if (!skip_digits()) {
        return 0;
    }
    if (at != end && *at == '.') {
        ++at;
        if (!skip_digits()) return 0;
    }
    if (at != end && (*at == 'e' || *at == 'E')) {
        ++at;
        if (at != end && (*at == '+' || *at == '-')) ++at;
        if (!skip_digits()) return 0;
    }
    return static_cast<std::size_t>(at - text.data());
}

std::string unquote(std::string_view quoted) {
    CHECK(quoted.size() >= 2);
    const std::string_view inner = quoted.substr(1, quoted.size() - 2);
    std::string out;
    out.reserve(inner.size());
    std::size_t at = 0;
    while (at < inner.size()) {
        const std::size_t backslash = inner.find('\\', at);
        if (backslash == std::string_view::npos) break;
        out.append(inner.substr(at, backslash - at));
        at = backslash + append_unescaped(out, inner.substr(backslash));
    }
    out.append(inner.substr(at));
    return out;
}

void append_quoted(std::string& out, std::string_view text) {
    constexpr std::string_view kShort = "\b\t\n\f\r\"\\";
    constexpr std::string_view kLetters = "btnfr\"\\";
    constexpr char kHex[] = "0123456789abcdef";
    out += '"';
    for (const char c : text) {
        const std::size_t at = kShort.find(c);
        if (at != std::string_view::npos) {
            out += '\\';
            out += kLetters[at];
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out.append("\\u00");
            out += kHex[static_cast<unsigned char>(c) >> 4];
            out += kHex[static_cast<unsigned char>(c) & 15];
        } else {
            out += c;
        }
    }
    out += '"';
}

std::string quote(std::string_view text) {
    std::string out;
    append_quoted(out, text);
    return out;
}

double to_double(std::string_view number) {
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc::result_out_of_range) return value;
    // from_chars does not tell overflow from underflow; strtod does.
    return std::strtod(std::string(number).c_str(), nullptr);
}

}  // namespace orrery::json
