// Walks JSON text that has been checked and minified before, as items are stored: no validation, no
// whitespace. Damaged text gives wrong pieces but never a read beyond its end.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::json {

// Length of the value (string, number, container, literal) that `text` starts with.
std::size_t value_length(std::string_view text);

// Takes the members of an object or the elements of an array one after the other.
class Walk {
public:
    // `container` starts with { or [.
    explicit Walk(std::string_view container) : rest_(container) {}

    struct Piece {
        std::string_view name;  // of a member, with its quotes; empty for an element
        std::string_view value;
    };
    std::optional<Piece> next();

private:
    std::string_view rest_;  // what is left, with the bracket or comma in front
    bool in_object_ = false;
};

// The member of an object, if it is there. `name` is plain text.
std::optional<std::string_view> find_member(std::string_view object, std::string_view name);

// Whether a quoted string of JSON text is this plain text.
bool quoted_equals(std::string_view quoted, std::string_view plain);

// Appends the text with every number as query results print it (json/number.h). False when one of
// them is beyond a double.
bool append_with_plain_numbers(std::string& out, std::string_view text);

}  // namespace orrery::json
