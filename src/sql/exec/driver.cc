#include "sql/exec/driver.h"

#include "base/bytes.h"
#include "base/stopwatch.h"
#include "sql/exec/lookup_driver.h"
#include "sql/exec/ordered_driver.h"
#include "sql/exec/sort_driver.h"
#include "sql/exec/walk_driver.h"
#include "sql/plan/positions.h"

namespace orrery::sql {

namespace {

class NoDriver : public Driver {
public:
    Result<Step> next() override { return Step::kEnd; }
    ItemNumber number() const override { return 0; }
    std::span<const Value> paths() const override { return {}; }
    std::string position() const override { return {}; }
};

// All items, in item-number order.
class ScanDriver : public Driver {
public:
    ScanDriver(const DriverContext& context, ItemNumber from)
        : context_(context),
          loader_(context, context.shown),
          cursor_(context.source.items(from)),
          from_(from) {}

    Result<Step> next() override {
        const Stopwatch watch(context_.measure, context_.counters.loading);
        Budget& budget = context_.budget;
        while (true) {
            item_ = TRY(cursor_->next());
            if (item_ == nullptr) return Step::kEnd;
            if (!item_->is_hidden()) break;
            budget.count(kLoadUnits);
            if (item_->number > from_) budget.progressed();
            if (budget.is_stopped()) return stopped(budget);
        }
        loader_.take(*item_);
        return budget.is_stopped() ? stopped(budget) : Step::kItem;
    }
    ItemNumber number() const override { return item_->number; }
    std::span<const Value> paths() const override { return loader_.values(); }
    std::string position() const override { return number_position(item_->number); }

private:
    const DriverContext& context_;
    ItemLoader loader_;
    std::unique_ptr<ItemCursor> cursor_;
    const ItemNumber from_;
    const Item* item_ = nullptr;
};

}  // namespace

ItemLoader::ItemLoader(const DriverContext& context, const ItemPaths& paths)
    : context_(context), paths_(paths), arena_(context.budget), values_(paths.size()) {}

Result<bool> ItemLoader::load(ItemNumber number) {
    const Stopwatch watch(context_.measure, context_.counters.loading);
    context_.budget.count(kLoadUnits);
    const Item* item = TRY(context_.source.load(number));
    if (item == nullptr) return false;
    take(*item);
    return true;
}

void ItemLoader::take(const Item& item) {
    ++context_.counters.items_read;
    context_.counters.item_bytes_read += item.json.size();
    context_.budget.count_bytes(item.json.size());
    arena_.reset();
    paths_.fetch(item, values_, arena_);
}

Result<std::unique_ptr<Driver>> make_driver(const DriverContext& context,
                                            std::string_view position) {
    switch (context.access.kind) {
        case Access::Kind::kNothing:
            return std::unique_ptr<Driver>(std::make_unique<NoDriver>());
        case Access::Kind::kScan: {
            const ItemNumber from = TRY(number_of_position(position));
            return std::unique_ptr<Driver>(std::make_unique<ScanDriver>(context, from));
        }
        case Access::Kind::kLookup:
            return make_lookup_driver(context, TRY(number_of_position(position)));
        case Access::Kind::kWalk:
            return make_walk_driver(context, position);
        case Access::Kind::kOrdered:
            return make_ordered_driver(context, position);
        case Access::Kind::kSort:
            return make_sort_driver(context, position);
    }
    return Error(ErrorCode::kInternal, "no driver for this access kind");
}

}  // namespace orrery::sql
