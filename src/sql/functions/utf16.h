// Positions in strings as queries count them: in UTF-16 code units, as .NET and JavaScript do,
// although the text is UTF-8. Characters beyond U+FFFF are two units, a surrogate pair.

#pragma once

#include <cstddef>
#include <string_view>

#include "sql/arena.h"

namespace orrery::sql {

bool is_ascii(std::string_view text);

std::size_t utf16_length(std::string_view text);

// The byte at which the first character starts that begins at this unit or later; the end of the
// text when there is none.
std::size_t utf16_offset(std::string_view text, std::size_t unit);
// The bytes of the characters that end at this unit or before it.
std::size_t utf16_offset_below(std::string_view text, std::size_t unit);

struct Utf16Range {
    std::size_t from;
    std::size_t count;
};
// These units, clipped to the text: a piece of it, unless an end of the range cuts a surrogate pair
// in two. UTF-8 cannot say the half that is left, so U+FFFD stands for it, in the arena.
std::string_view utf16_substring(std::string_view text, const Utf16Range& range, Arena& arena);

}  // namespace orrery::sql
