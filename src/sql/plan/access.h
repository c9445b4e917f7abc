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
    // kWalk: the path, and the part of the condition it comes from; nothing when the query wants
    // all values. Behind the parts come the composite indexes of the policy.
    model::IndexPath path;
    std::optional<std::size_t> walked;
    // The walk shows all the query needs to know of an item; it is not loaded.
    bool covered = false;
    // Only the first and the last entry matter, for MIN and MAX.
    bool ends_only = false;

    // kOrdered and kWalk: over this composite index of the source. Else kWalk is over `path`, and
    // kOrdered over that of the only ORDER BY item.
    std::optional<std::size_t> composite;
    bool backward = false;

    // kWalk and kOrdered: the entries.
    index::ValueBounds bounds;
    bool with_undefined = false;  // items that lack the path are part of the result

    // Of items with equal keys those with greater numbers come first.
    bool numbers_descend = false;

    // Items that can be expected; those that a condition leads to are counted up to kEstimateMax.
    // Nothing when nobody counted.
    std::optional<std::size_t> estimate;
    // Paths as policies write them, and composite indexes part by part.
    struct Indexes {
        std::vector<std::string> paths;
        std::vector<std::vector<std::string>> composites;
    };
    Indexes used;

    // What describe() (description.h) adds: what would help if the policy had it, and the condition
    // as text.
    Indexes potential;
    std::string filter;
};

inline constexpr std::size_t kEstimateMax = 256;

// The plan for a query over items, from this position on (plan/positions.h). kBadRequest where
// Cosmos DB refuses to sort without an index.
Result<Access> plan_access(const BoundQuery& query,
                           const std::vector<ItemPath>& paths,
                           const Condition& condition,
                           const ItemSource& source,
                           std::string_view position);

std::string_view name_of(Access::Kind kind);

}  // namespace orrery::sql
