#include "json/walk.h"

#include <algorithm>
#include <cstring>

#include "json/number.h"
#include "json/text.h"

namespace orrery::json {

namespace {

// Length of the string, quotes included.
std::size_t quoted_length(std::string_view text) {
    std::size_t at = 1;
    while (at < text.size()) {
        const void* found = std::memchr(text.data() + at, '"', text.size() - at);
        if (found == nullptr) break;
        const auto quote = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
        std::size_t backslashes = 0;
        while (text[quote - 1 - backslashes] == '\\') {
            ++backslashes;
        }
        if (backslashes % 2 == 0) return quote + 1;
        at = quote + 1;
    }
    return text.size();
}

std::size_t container_length(std::string_view text) {
    std::size_t depth = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        switch (text[at]) {
            case '"':
                at += quoted_length(text.substr(at));
                continue;
            case '{':
            case '[':
                ++depth;
                break;
            case '}':
            case ']':
                if (--depth == 0) return at + 1;
                break;
            default:
                break;
        }
        ++at;
    }
    return text.size();
}

std::size_t plain_length(std::string_view text) {
    const std::size_t end = text.find_first_of(",]}");
    return end == std::string_view::npos ? text.size() : end;
}

// Integers of up to 15 digits print as they are written; -0 does not.
bool prints_as_written(std::string_view number) {
    const bool negative = number.front() == '-';
    const std::string_view digits = negative ? number.substr(1) : number;
    if (digits.size() > 15 || (negative && digits == "0")) return false;
    return digits.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::size_t value_length(std::string_view text) {
    if (text.empty()) return 0;
    switch (text.front()) {
        case '"':
            return quoted_length(text);
        case '{':
        case '[':
            return container_length(text);
        default:
            return plain_length(text);
    }
}

std::optional<Walk::Piece> Walk::next() {
    if (rest_.size() < 2) return std::nullopt;
    const char before = rest_.front();
    const bool ends = rest_[1] == '}' || rest_[1] == ']';
    if (ends || (before != '{' && before != '[' && before != ',')) return std::nullopt;
    rest_.remove_prefix(1);
    Piece piece;
    if (before == '{' || (before == ',' && in_object_)) {
        in_object_ = true;
        const std::size_t name = quoted_length(rest_);
        piece.name = rest_.substr(0, name);
        rest_.remove_prefix(std::min(rest_.size(), name + 1));
    }
    const std::size_t length = value_length(rest_);
    piece.value = rest_.substr(0, length);
    rest_.remove_prefix(length);
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

bool append_with_plain_numbers(std::string& out, std::string_view text) {
    std::size_t copied = 0;
    std::size_t at = 0;
    while (at < text.size()) {
        const char c = text[at];
        if (c == '"') {
            at += quoted_length(text.substr(at));
        } else if (c == '-' || (c >= '0' && c <= '9')) {
            const std::string_view number = text.substr(at, plain_length(text.substr(at)));
            if (!prints_as_written(number)) {
                out.append(text, copied, at - copied);
                const Number parsed = Number::parse(number);
                if (!parsed.is_finite()) return false;
                append_number(out, parsed);
                copied = at + number.size();
            }
            at += number.size();
        } else {
            ++at;
        }
    }
    out.append(text, copied);
    return true;
}

}  // namespace orrery::json
