// UTF-8 one code point at a time. Valid means as Unicode defines it: no overlong forms, no
// surrogates, nothing above U+10FFFF.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orrery {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

// Removes one code point from the front of `rest`, which must not be empty. For invalid bytes it
// returns nothing and removes one byte.
std::optional<char32_t> take_code_point(std::string_view& rest);

// `code_point` must be a Unicode scalar value, see below.
void append_utf8(std::string& out, char32_t code_point);

constexpr bool is_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDFFF; }
constexpr bool is_scalar_value(char32_t c) { return c <= 0x10FFFF && !is_surrogate(c); }

}  // namespace orrery
