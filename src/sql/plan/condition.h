// What a filter implies about the index entries of the items that pass it. A condition never misses
// an item that passes; unless it is exact it may admit others, and the filter decides on the item.

#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "index/value_bounds.h"
#include "model/index_path.h"
#include "sql/bound.h"

namespace orrery::sql {

struct Condition {
    enum class Kind : std::uint8_t {
        kAll,    // nothing is known
        kNone,   // no item passes
        kPath,   // a value at `path` lies in one of `bounds`
        kLacks,  // the item has nothing at `path`
        kAnd,    // all of `parts`
        kOr,     // one of `parts`
    };
    // How selective the condition is expected to be.
    enum class Reach : std::uint8_t { kPoint, kRange, kWide };

    Kind kind = Kind::kAll;
    // The items that meet it are exactly those that pass.
    bool exact = false;
    Reach reach = Reach::kWide;
    model::IndexPath path;
    std::vector<index::ValueBounds> bounds;
    // Must be true of the value; its only path is `number` of the query's paths.
    const BoundExpression* predicate = nullptr;
    std::uint64_t number = 0;
    std::vector<Condition> parts;

    bool in_array() const;
};

// All filters of the query that depend on items, as one condition.
Condition condition_of(const BoundQuery& query, std::span<const ItemPath> paths);

// As EXPLAIN shows it.
std::string to_text(const Condition& condition);

}  // namespace orrery::sql
