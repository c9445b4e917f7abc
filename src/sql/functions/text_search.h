// Finds text in linear time (std::string_view::find is not linear: a long run of one letter
// searched in a longer one takes the product), and compares text ignoring case.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orrery::sql {

inline constexpr std::size_t kNowhere = std::string_view::npos;

// Byte offsets; kNowhere when not found. Empty text is found at either end.
std::size_t find_text(std::string_view text, std::string_view wanted, std::size_t from = 0);
std::size_t find_last_text(std::string_view text, std::string_view wanted);

// Applies Unicode simple case folding, which keeps the number of characters and does not depend on
// the language.
std::string fold_case(std::string_view text);

bool starts_with_any_case(std::string_view text, std::string_view start);
bool ends_with_any_case(std::string_view text, std::string_view end);
bool equal_any_case(std::string_view a, std::string_view b);

}  // namespace orrery::sql
