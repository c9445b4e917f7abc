// Text for terminals: how wide it is, and what of it must not get there as it is.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::tools {

// Escapes as in JSON what would act on a terminal instead of appearing on it: control characters
// (and so escape sequences), line breaks, and what changes the direction of text. In JSON text
// these occur in strings only, so the result has the same value.
std::string printable(std::string_view text);

// The columns that printable text takes on a terminal: two for wide characters of East Asian
// scripts and emoji, none for combining marks.
std::size_t display_width(std::string_view text);

// The text cut to so many columns, with an ellipsis at its end if it was cut.
std::string shortened(std::string_view text, std::size_t columns);

// Lays words out in columns, as ls does. They become printable.
std::vector<std::string> in_columns(const std::vector<std::string>& words, std::size_t width);

}  // namespace orrery::tools
