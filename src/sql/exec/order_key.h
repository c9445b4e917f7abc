// An item's ORDER BY sort key as bytes: its values as the index encodes them but with strings in
// full, values of descending paths inverted, then its number.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "index/value_encoding.h"
#include "sql/bound.h"
#include "sql/evaluator.h"
#include "sql/source.h"

namespace orrery::sql {

// The order of one value within a key.
index::Order index_order(const BoundOrder& order);

// The form that a number has at the end of a key, so that keys sort in that order. The two
// descending forms differ in their first bits, so number_of() reads both.
ItemNumber order_number(ItemNumber number, NumberOrder order);
ItemNumber number_of(ItemNumber form, NumberOrder order);
// Converts a key from a token to this order: tokens of earlier versions have the number in the
// other descending form.
std::string with_number_order(std::string key,
                              const std::vector<BoundOrder>& orders,
                              NumberOrder order);

// In place of the number: sorts after all items with the same values.
inline constexpr std::string_view kAfterAllNumbers = "\xff\xff\xff\xff\xff\xff\xff\xff\xff";

// For the item the evaluator is at.
std::string order_key(const std::vector<BoundOrder>& orders,
                      NumberOrder number_order,
                      ItemNumber number,
                      Evaluator& evaluator);

}  // namespace orrery::sql
