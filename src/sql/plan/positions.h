// Positions in the orders that items can come in, as continuation tokens hold them.
//
//   n number           by number
//   v part number value   by the value at the path of one part of the query's condition, as the
//                      index encodes it; or by the values of a composite index (Access::walked)
//   o key              by ORDER BY: see order_key.h
//   l (number hash){2} prefix   the same for a key that is too long: it is recomputed from the
//                      item or, if that is gone or changed, from the one before it

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sql/plan/access.h"
#include "sql/source.h"

namespace orrery::sql {

// Longer keys do not fit into a 1 KB token, which also names a range of EPKs twice and a place in
// the item's rows, and is base64.
inline constexpr std::size_t kPositionBytesMax = 344;

std::string number_position(ItemNumber number);
// 0 for the empty position.
Result<ItemNumber> number_of_position(std::string_view position);

struct ValuePosition {
    std::size_t part = 0;
    ItemNumber number = 0;
    std::string value;
};
std::string value_position(const ValuePosition& position);
// Nothing for the empty position.
Result<std::optional<ValuePosition>> parse_value_position(std::string_view position);

struct KeyPosition {
    std::string key;  // or its prefix, if cut_of is set
    struct Neighbour {
        ItemNumber number = 0;  // 0: none
        std::uint64_t key_hash = 0;
    };
    struct Neighbours {
        Neighbour at;
        Neighbour before;
    };
    std::optional<Neighbours> cut_of;
};

// An item and its full key.
struct KeyedItem {
    ItemNumber number = 0;
    std::string_view key;
};
std::string key_position(const KeyedItem& at, const KeyedItem& before);
std::uint64_t key_hash(std::string_view key);
Result<KeyPosition> parse_key_position(std::string_view position);

// The order that a position belongs to; nothing for the empty position.
std::optional<ItemOrder> order_of(std::string_view position);

Error bad_position();

}  // namespace orrery::sql
