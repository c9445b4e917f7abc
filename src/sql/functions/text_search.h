// Finding text in text, in time linear in both (std::string_view::find is not: a long run of one
// letter searched in a longer one takes the product), and comparing text whatever its case.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orrery::sql {

inline constexpr std::size_t kNowhere = std::string_view::npos;

// Byte offsets, kNowhere when it is not there. Empty text is found at either end.
std::size_t find_text(std::string_view text, std::string_view wanted, std::size_t from = 0);
std::size_t find_last_text(std::string_view text, std::string_view wanted);

// Every character replaced by the one that stands for it in comparisons whatever the case: Unicode
// simple case folding, which keeps the number of characters and knows no language.
std::string fold_case(std::string_view text);

bool starts_with_any_case(std::string_view text, std::string_view start);
bool ends_with_any_case(std::string_view text, std::string_view end);
bool equal_any_case(std::string_view a, std::string_view b);

}  // namespace orrery::sql
