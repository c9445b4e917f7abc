#include "json/walk.h"

#include "json/number.h"
#include "json/text.h"

namespace orrery::json {

namespace {

// Integers of up to 15 digits print as written; -0 does not.
bool prints_as_written(std::string_view number) {
    const bool negative = number.front() == '-';
    const std::string_view digits = negative ? number.substr(1) : number;
    if (digits.size() > 15 || (negative && digits == "0")) return false;
    return digits.find_first_not_of("0123456789") == std::string_view::npos;
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
    StoredText text(json);
    std::size_t copied = 0;
    while (!text.at_end()) {
        const char c = text.peek();
        if (c == '"') {
            text.string();
        } else if (c == '-' || (c >= '0' && c <= '9')) {
            const std::size_t at = text.offset();
            const std::string_view number = text.scalar();
            if (number.empty() || prints_as_written(number)) continue;
            const Number parsed = Number::parse(number);
            if (!parsed.is_finite()) return false;
            out.append(json, copied, at - copied);
            append_number(out, parsed);
            copied = text.offset();
        } else {
            text.take(c);
        }
    }
    out.append(json, copied);
    return text.ok();
}

}  // namespace orrery::json
