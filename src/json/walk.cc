#include "json/walk.h"

#include <algorithm>
#include <cstring>

#include "json/number.h"
#include "json/text.h"

namespace orrery::json {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether append_number() prints the number as it is written. Most are integers or decimal
// fractions of at most 15 digits, all of which a double keeps; what it prints with an exponent,
// with fewer zeros or without a sign is not among them.
bool prints_as_written(std::string_view number) {
    constexpr std::size_t kDigitsMax = 15;
    const bool negative = number.front() == '-';
    if (negative) number.remove_prefix(1);
    if (number.empty() || number.size() > kDigitsMax) return false;
    std::size_t point = 0;
    while (point < number.size() && is_digit(number[point])) {
        ++point;
    }
    const bool zero = number.front() == '0';
    if (zero && point > 1) return false;
    if (point == number.size()) return !negative || !zero;
    if (number[point] != '.' || !is_digit(number.back()) || number.back() == '0') return false;
    const std::string_view fraction = number.substr(point + 1);
    return std::all_of(fraction.begin(), fraction.end(), is_digit) &&
           (!zero || !fraction.starts_with("0000"));
}

// The characters that numbers consist of, from `from` on.
std::string_view number_at(const char* from, const char* end) {
    const char* at = from;
    while (at != end &&
           (is_digit(*at) || *at == '.' || *at == '-' || *at == '+' || (*at | 0x20) == 'e')) {
        ++at;
    }
    return {from, static_cast<std::size_t>(at - from)};
}

// The place after the string that starts at `from`; null if it does not end.
const char* skip_string(const char* from, const char* end) {
    const char* at = from + 1;
    while (true) {
        at = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
        if (at == nullptr) return nullptr;
        const char* backslash = at;
        while (backslash[-1] == '\\') {
            --backslash;
        }
        ++at;
        if ((at - backslash) % 2 != 0) return at;  // an even number of backslashes before the quote
    }
}

}  // namespace

std::optional<Walk::Piece> Walk::next() {
    if (!started_) {
        started_ = true;
        in_object_ = text_.take('{');
        if (!in_object_ && !text_.take('[')) return std::nullopt;
        if (text_.peek() == '}' || text_.peek() == ']') return std::nullopt;
    } else if (!text_.take(',')) {
        return std::nullopt;
    }
    Piece piece;
    if (in_object_) {
        piece.name = text_.string();
        if (!text_.expect(':')) return std::nullopt;
    }
    piece.value = text_.value();
    if (piece.value.empty()) return std::nullopt;
    return piece;
}

std::optional<std::string_view> find_member(std::string_view object, std::string_view name) {
    Walk walk(object);
    while (auto piece = walk.next()) {
        if (quoted_equals(piece->name, name)) return piece->value;
    }
    return std::nullopt;
}

bool quoted_equals(std::string_view quoted, std::string_view plain) {
    if (quoted.size() < 2) return false;
    const std::string_view inside = quoted.substr(1, quoted.size() - 2);
    if (inside == plain) return inside.find('\\') == std::string_view::npos;
    if (inside.size() <= plain.size()) return false;  // escapes only make it longer
    return inside.find('\\') != std::string_view::npos && unquote(quoted) == plain;
}

bool append_with_plain_numbers(std::string& out, std::string_view json) {
    const char* copied = json.data();
    const char* const end = copied + json.size();
    for (const char* at = copied; at != end;) {
        if (*at == '"') {
            at = skip_string(at, end);
            if (at == nullptr) return false;
        } else if (*at == '-' || is_digit(*at)) {
            const std::string_view number = number_at(at, end);
            if (!prints_as_written(number)) {
                if (number_length(number) != number.size()) return false;
                const Number parsed = Number::parse(number);
                if (!parsed.is_finite()) return false;
                out.append(copied, at);
                append_number(out, parsed);
                copied = at + number.size();
            }
            at += number.size();
            if (at != end && *at != ',' && *at != ']' && *at != '}') return false;
        } else {
            ++at;
        }
    }
    out.append(copied, end);
    return true;
}

}  // namespace orrery::json
