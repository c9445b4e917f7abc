// How a query finds its items: the physical plan. Chosen from the filters, ORDER BY and the current
// content of the index; printed by EXPLAIN.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sql/bound.h"
#include "sql/budget.h"
#include "sql/plan/condition.h"
#include "sql/source.h"

namespace orrery::sql {

// The order in which items come, however they are found. A continued query keeps the order it began
// with.
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
    // all values. Numbers after the parts are the policy's composite indexes.
    model::IndexPath path;
    std::optional<std::size_t> walked;
    // The index entry holds everything the query needs; the item is not loaded.
    bool covered = false;
    // Every item found passes the filters, because the entries that lead to it are exact.
    bool answers_filters = false;
    // Only the first and the last entry matter (MIN and MAX).
    bool ends_only = false;

    // kOrdered and kWalk: the composite index to use. Without one, kWalk uses `path`, and kOrdered
    // the path of the only ORDER BY item.
    std::optional<std::size_t> composite;
    bool backward = false;

    // kWalk and kOrdered: the range of entries.
    index::ValueBounds bounds;
    bool with_undefined = false;  // items that lack the path are part of the result

    // Of items with equal sort keys.
    NumberOrder number_order = NumberOrder::kAscending;

    // Expected number of items; the matches of a condition are counted up to kEstimateMax. Nothing
    // when they were not counted.
    std::optional<std::size_t> estimate;
    // Paths in indexing-policy notation, and composite indexes part by part.
    struct Indexes {
        std::vector<std::string> paths;
        std::vector<std::vector<std::string>> composites;
    };
    Indexes used;

    // Added by describe() (description.h): indexes that would help if the policy had them, and the
    // condition as text.
    Indexes potential;
    std::string filter;
};

inline constexpr std::size_t kEstimateMax = 256;

// Plans a query over items, starting at this position (plan/positions.h). kBadRequest where Cosmos
// DB refuses to sort without an index.
Result<Access> plan_access(const BoundQuery& query,
                           const std::vector<ItemPath>& paths,
                           const Condition& condition,
                           const ItemSource& source,
                           std::string_view position,
                           Budget& budget);

std::string_view name_of(Access::Kind kind);

}  // namespace orrery::sql
