// How a query gets at its items: the physical plan. Chosen from what the filters and ORDER BY say
// and what the index holds at the moment; printed by EXPLAIN.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sql/bound.h"
#include "sql/plan/condition.h"
#include "sql/source.h"

namespace orrery::sql {

// The order in which items come, whatever is used to find them. A query that is continued keeps
// the order it began with.
enum class ItemOrder : std::uint8_t {
    kNumber,  // by number
    kValue,   // by the value at one path, then by number
    kKeys,    // by ORDER BY
};

struct Access {
    enum class Kind : std::uint8_t {
        kNothing,  // no item can pass
        kScan,     // all items of the scope
        kLookup,   // items that meet all of `conditions`, by number
        kWalk,     // entries of one path, by value
        kOrdered,  // entries of the path or composite index that ORDER BY names
        kSort,     // items that meet `conditions` (or all), sorted
    };
    Kind kind = Kind::kScan;
    ItemOrder order = ItemOrder::kNumber;

    // kLookup and kSort: indexes into the parts of the query's condition.
    std::vector<std::size_t> conditions;
    // kWalk: the part whose path is walked.
    std::size_t walked = 0;
    // The walk shows all the query needs to know of an item; it is not loaded.
    bool covered = false;

    // kOrdered: over this composite index, else over the path of the only ORDER BY item.
    std::optional<std::size_t> composite;
    index::ValueBounds bounds;
    bool backward = false;
    bool with_undefined = false;  // items that lack the path are part of the result

    // Of items with equal keys those with greater numbers come first.
    bool numbers_descend = false;

    // Items that can be expected, counted up to kEstimateMax; nothing when nobody counted.
    std::optional<std::size_t> estimate;
    // What it uses, and what would help if the policy had it: paths as policies write them, and
    // composite indexes part by part.
    struct Indexes {
        std::vector<std::string> paths;
        std::vector<std::vector<std::string>> composites;
    };
    Indexes used;
    Indexes potential;
    std::string filter;  // the condition as text, for EXPLAIN
};

inline constexpr std::size_t kEstimateMax = 256;

// The plan for a query over items. `order` is set when the query is continued. kBadRequest where
// Cosmos DB refuses to sort without an index.
Result<Access> plan_access(const BoundQuery& query,
                           const std::vector<ItemPath>& paths,
                           const Condition& condition,
                           const ItemSource& source,
                           std::optional<ItemOrder> order);

std::string_view name_of(Access::Kind kind);

}  // namespace orrery::sql
