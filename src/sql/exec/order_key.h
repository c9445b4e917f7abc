// An item's ORDER BY sort key as bytes: its values as the index encodes them but with strings in
// full, values of descending paths inverted, then its number.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sql/bound.h"
#include "sql/evaluator.h"
#include "sql/source.h"

namespace orrery::sql {

// Converts a number to the form it has at the end of a key, and back. Numbers descend only within a
// partition; partitions keep their order, in which SDKs merge them.
ItemNumber order_number(ItemNumber number, bool descends);

// In place of the number: sorts after all items with the same values.
inline constexpr std::string_view kAfterAllNumbers = "\xff\xff\xff\xff\xff\xff\xff\xff\xff";

// For the item the evaluator is at.
std::string order_key(const std::vector<BoundOrder>& orders,
                      bool numbers_descend,
                      ItemNumber number,
                      Evaluator& evaluator);

}  // namespace orrery::sql
