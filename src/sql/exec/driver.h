// A driver yields the items a query has to look at, in the order its plan chose, and can resume at
// any of them.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sql/arena.h"
#include "sql/bound.h"
#include "sql/budget.h"
#include "sql/evaluator.h"
#include "sql/item_paths.h"
#include "sql/plan/access.h"
#include "sql/plan/condition.h"
#include "sql/source.h"
#include "sql/value.h"

namespace orrery::sql {

// What a query did, for its metrics and its charge.
struct Counters {
    std::uint64_t items_read = 0;
    std::uint64_t item_bytes_read = 0;
    std::uint64_t index_entries_read = 0;
    std::uint64_t rows = 0;
    std::uint64_t row_bytes = 0;
    // Recorded only when timing is requested: choosing the access path, finding the next item
    // (which may load some), loading items, writing rows.
    std::chrono::nanoseconds planning{};
    std::chrono::nanoseconds finding{};
    std::chrono::nanoseconds loading{};
    std::chrono::nanoseconds writing{};
};

class Driver {
public:
    Driver() = default;
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;
    virtual ~Driver() = default;

    enum class Step : std::uint8_t {
        kItem,    // at an item
        kEnd,     // no item is left
        kPaused,  // the page has ended: at a place that has not been examined, where to go on
    };
    virtual Result<Step> next() = 0;

    // Of the current item. The values are valid until next().
    virtual ItemNumber number() const = 0;
    virtual std::span<const Value> paths() const = 0;
    // How many items this one stands for: itself and others with the same values.
    virtual std::uint64_t run() const { return 1; }
    // The place in the item order, also after kPaused. A driver started with it begins at this
    // item, or at the next one if it is gone. The first letter names the order (plan/positions.h).
    virtual std::string position() const = 0;

protected:
    // The step of a driver that the budget has stopped.
    static Result<Step> stopped(const Budget& budget) {
        if (budget.page_ended()) return Step::kPaused;
        return budget.status().take_error();
    }
};

// Everything a driver needs; all of it outlives the driver.
struct DriverContext {
    const BoundQuery& query;
    const ItemPaths& paths;
    // Of these, what the caller looks at.
    const ItemPaths& shown;
    const Condition& condition;
    const Access& access;
    ItemSource& source;
    const Surroundings& surroundings;
    Budget& budget;  // that of the surroundings
    Counters& counters;
    std::uint32_t variables = 0;  // per row
    bool measure = false;         // record times
    // How many rows the caller can still take: no need to sort more at once.
    std::size_t rows_wanted = 0;
    bool takes_runs = false;  // items with equal values may be returned as one
};

// The driver for the plan, starting at `position`; an empty one is the beginning.
Result<std::unique_ptr<Driver>> make_driver(const DriverContext& context,
                                            std::string_view position);

// Loads items and extracts the values at the query's paths.
class ItemLoader {
public:
    ItemLoader(const DriverContext& context, const ItemPaths& paths);

    // False when the item is not visible. Counts the work; the caller checks the budget.
    Result<bool> load(ItemNumber number);
    void take(const Item& item);
    std::span<const Value> values() const { return values_; }

private:
    const DriverContext& context_;
    const ItemPaths& paths_;
    Arena arena_;
    std::vector<Value> values_;
};

}  // namespace orrery::sql
