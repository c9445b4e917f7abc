// Iterates over the members and elements of validated and minified JSON text (stored_text.h).
// Damage ends the iteration early.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/stored_text.h"

namespace orrery::json {

// Yields the members of an object or the elements of an array, in order.
class Walk {
public:
    // `container` starts with { or [.
    explicit Walk(std::string_view container) : text_(container) {}

    struct Piece {
        std::string_view name;  // of a member, with its quotes; empty for an element
        std::string_view value;
    };
    std::optional<Piece> next() {
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

private:
    StoredText text_;
    bool started_ = false;
    bool in_object_ = false;
};

// The member of an object, if there is one. `name` is plain text.
std::optional<std::string_view> find_member(std::string_view object, std::string_view name);

// Whether a quoted JSON string with escapes equals this plain text.
bool escaped_equals(std::string_view quoted, std::string_view plain);

// Whether a quoted JSON string equals this plain text.
inline bool quoted_equals(std::string_view quoted, std::string_view plain) {
    if (quoted.size() < plain.size() + 2) return false;  // escapes only make it longer
    const char* const end = quoted.data() + quoted.size() - 1;
    if (plain_run_end(quoted.data() + 1, end) != end) return escaped_equals(quoted, plain);
    return quoted.size() == plain.size() + 2 &&
           std::string_view(quoted.data() + 1, plain.size()) == plain;
}

// Appends the text with every number as query results print it (json/number.h). False when one of
// them exceeds a double, or the text is damaged.
bool append_with_plain_numbers(std::string& out, std::string_view text);

}  // namespace orrery::json
