// String positions as queries count them: in UTF-16 code units, as in .NET and JavaScript, although
// the text is UTF-8. Characters beyond U+FFFF are two units, a surrogate pair.

#pragma once

#include <cstddef>
#include <string_view>

#include "sql/arena.h"

namespace orrery::sql {

bool is_ascii(std::string_view text);

std::size_t utf16_length(std::string_view text);

// The byte offset of the first character that begins at or after this unit; the end of the text
// when there is none.
std::size_t utf16_offset(std::string_view text, std::size_t unit);
// The number of bytes in the characters that end at or before this unit.
std::size_t utf16_offset_below(std::string_view text, std::size_t unit);

struct Utf16Range {
    std::size_t from;
    std::size_t count;
};
// These units, clipped to the text: a view into it, unless an end of the range splits a surrogate
// pair. UTF-8 cannot represent the remaining half, so U+FFFD replaces it, in the arena.
std::string_view utf16_substring(std::string_view text, const Utf16Range& range, Arena& arena);

}  // namespace orrery::sql
