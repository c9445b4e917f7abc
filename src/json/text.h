// The lexical side of JSON: what a string or a number is, and how to read and write them.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orrery::json {

bool is_valid_utf8(std::string_view text);

// The text without insignificant whitespace, or nothing when a string is not closed.
std::optional<std::string> minify(std::string_view text);

// Length of the string (quotes included) or number that `text` starts with; 0 when there is none.
// Escapes are checked: unpaired surrogates are refused, since they are not Unicode text.
std::size_t string_length(std::string_view text);
std::size_t number_length(std::string_view text);

// The characters of a valid quoted string: "a\u0062" → ab.
std::string unquote(std::string_view quoted);

// The shortest JSON string for UTF-8 text, quotes included.
void append_quoted(std::string& out, std::string_view text);
std::string quote(std::string_view text);

// The nearest double of a valid JSON number; infinity when it is out of range.
double to_double(std::string_view number);

}  // namespace orrery::json
