#include "sql/literal.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/ascii.h"
#include "base/utf8.h"

namespace orrery::sql {

namespace {

// Exact as an integer when it fits, else the nearest double.
json::Number hex_value(std::string_view digits) {
    std::int64_t integer = 0;
    const char* end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, integer, 16).ec == std::errc{}) return integer;
    double real = 0;
    const auto error = std::from_chars(digits.data(), end, real, std::chars_format::hex).ec;
    return error == std::errc{} ? real : std::numeric_limits<double>::infinity();
}

// Consumes XXXX at the front of `rest`.
std::optional<char32_t> take_hex4(std::string_view& rest) {
    if (rest.size() < 4) return std::nullopt;
    std::uint16_t unit = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + 4, unit, 16);
    if (error != std::errc{} || end != rest.data() + 4) return std::nullopt;
    rest.remove_prefix(4);
    return unit;
}

// Consumes what follows \u.
std::optional<char32_t> take_unicode_escape(std::string_view& rest) {
    const auto first = take_hex4(rest);
    if (!first || !is_surrogate(*first)) return first;
    if (*first >= 0xDC00 || !rest.starts_with("\\u")) return std::nullopt;
    rest.remove_prefix(2);
    const auto second = take_hex4(rest);
    if (!second || *second < 0xDC00 || *second > 0xDFFF) return std::nullopt;
    return 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00);
}

// Consumes what follows a backslash.
bool append_escape(std::string& out, std::string_view& rest) {
    if (rest.empty()) return false;
    const char c = rest.front();
    rest.remove_prefix(1);
    switch (c) {
        case '\'':
        case '"':
        case '\\':
        case '/':
            out += c;
            return true;
        case 'b':
            out += '\b';
            return true;
        case 'f':
            out += '\f';
            return true;
        case 'n':
            out += '\n';
            return true;
        case 'r':
            out += '\r';
            return true;
        case 't':
            out += '\t';
            return true;
        case 'u': {
            const auto code_point = take_unicode_escape(rest);
            if (code_point) append_utf8(out, *code_point);
            return code_point.has_value();
        }
        default:
            return false;
    }
}

}  // namespace

json::Number number_value(std::string_view digits) {
    if (digits == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (digits == "Infinity") return std::numeric_limits<double>::infinity();
    if (digits.size() > 2 && lower(digits[1]) == 'x') return hex_value(digits.substr(2));
    std::int64_t integer = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, integer);
    if (error == std::errc{} && stop == end) return integer;
    double real = 0;
    if (std::from_chars(digits.data(), end, real).ec == std::errc::result_out_of_range) {
        // from_chars does not tell overflow from underflow; strtod does, and accepts all these
        // forms.
        real = std::strtod(std::string(digits).c_str(), nullptr);
    }
    return json::Number(real).normalized();
}

std::optional<std::string> string_value(std::string_view quoted) {
    std::string_view rest = quoted.substr(1, quoted.size() - 2);
    std::string out;
    out.reserve(rest.size());
    while (!rest.empty()) {
        const char c = rest.front();
        rest.remove_prefix(1);
        if (c != '\\') {
            out += c;
        } else if (!append_escape(out, rest)) {
            return std::nullopt;
        }
    }
    return out;
}

}  // namespace orrery::sql
