// The place of an item in the order of ORDER BY, as bytes: its values as the index encodes them but
// with strings in full, those of descending paths inverted, then its number.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sql/bound.h"
#include "sql/evaluator.h"
#include "sql/source.h"

namespace orrery::sql {

// The number as it stands at the end of a key, and back. When numbers descend, those of one
// partition do; partitions stay in their order, as SDKs merge them.
ItemNumber order_number(ItemNumber number, bool descends);

// Of the item the evaluator is at.
std::string order_key(const std::vector<BoundOrder>& orders,
                      bool numbers_descend,
                      ItemNumber number,
                      Evaluator& evaluator);

}  // namespace orrery::sql
