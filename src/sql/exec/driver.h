// A driver gives the items a query has to look at, one after the other, in the order of its plan,
// and can start again behind any of them.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "sql/arena.h"
#include "sql/bound.h"
#include "sql/item_paths.h"
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
    // Items read for which the query had at least one row.
    std::uint64_t items_hit = 0;
};

class Driver {
public:
    Driver() = default;
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;
    virtual ~Driver() = default;

    // Moves to the next item; false at the end.
    virtual Result<bool> next() = 0;

    // Of the current item. The values are good until next().
    virtual ItemNumber number() const = 0;
    virtual std::span<const Value> paths() const = 0;
    // Where the item stands in this driver's order; a driver started with it begins at this item,
    // or at the one behind it if it is gone.
    virtual std::string position() const = 0;
};

// The driver that the query's plan asks for; an empty position is the beginning. Everything given
// must outlive it.
std::unique_ptr<Driver> make_driver(const BoundQuery& query,
                                    ItemSource& source,
                                    const ItemPaths& paths,
                                    std::string_view position,
                                    Counters& counters);

// All items by their numbers.
class ScanDriver : public Driver {
public:
    // `paths` and `counters` must outlive it; an empty position is the beginning.
    ScanDriver(ItemSource& source,
               const ItemPaths& paths,
               std::string_view position,
               Counters& counters);

    Result<bool> next() override;
    ItemNumber number() const override { return item_->number; }
    std::span<const Value> paths() const override { return values_; }
    std::string position() const override;

private:
    const ItemPaths& paths_;
    Counters& counters_;
    std::unique_ptr<ItemCursor> cursor_;
    const Item* item_ = nullptr;
    Arena arena_;
    std::vector<Value> values_;
};

}  // namespace orrery::sql
