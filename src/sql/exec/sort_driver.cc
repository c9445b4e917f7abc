#include "sql/exec/sort_driver.h"

#include <optional>

#include "sql/exec/order_key.h"
#include "sql/exec/top_keys.h"
#include "sql/plan/positions.h"

namespace orrery::sql {

namespace {

class SortDriver : public Driver {
public:
    SortDriver(const DriverContext& context, std::string from)
        : context_(context),
          found_by_(found_by(context)),
          inner_{context.query,
                 context.paths,
                 context.paths,
                 context.condition,
                 found_by_,
                 context.source,
                 context.surroundings,
                 context.budget,
                 context.counters,
                 context.variables,
                 context.measure,
                 context.rows_wanted},
          loader_(context, context.shown),
          evaluator_(context.variables, context.surroundings),
          from_(std::move(from)),
          charged_(context.budget) {}

    Result<Step> next() override {
        if (at_ < sorted_.size()) before_ = sorted_[at_];
        while (true) {
            if (++at_ >= sorted_.size()) {
                if (collected_ && !more_) return Step::kEnd;
                TRY(collect());
                if (context_.budget.is_stopped()) return stopped(context_.budget);
                if (sorted_.empty()) return Step::kEnd;
            }
            const bool visible = TRY(loader_.load(sorted_[at_].number));
            if (context_.budget.is_stopped()) return stopped(context_.budget);
            if (visible) return Step::kItem;
            context_.budget.progressed();
        }
    }
    ItemNumber number() const override { return sorted_.empty() ? 0 : sorted_[at_].number; }
    std::span<const Value> paths() const override { return loader_.values(); }
    std::string position() const override {
        const KeyedItem before{before_.number, before_.key};
        // Paused before the next items were collected.
        if (sorted_.empty()) return key_position({0, from_}, before);
        return key_position({sorted_[at_].number, sorted_[at_].key}, before);
    }

private:
    static Access found_by(const DriverContext& context) {
        Access access = context.access;
        access.kind = access.conditions.empty() ? Access::Kind::kScan : Access::Kind::kLookup;
        return access;
    }

    // Collects the first items whose key is at least `from_`; none if the budget is used up.
    Status collect() {
        sorted_.clear();
        at_ = 0;
        // A batch that is not complete is of no use; without progress the next page would have to
        // begin it again.
        std::optional<Budget::Atomic> atomic;
        if (!context_.budget.has_progressed()) atomic.emplace(context_.budget);
        TopKeys top(sorted_at_once(context_.rows_wanted), context_.budget);
        auto items = make_driver(inner_, {});
        if (!items) {
            if (context_.budget.page_ended()) return {};
            return std::move(items).take_error();
        }
        while (true) {
            const Step step = TRY((*items)->next());
            if (step == Step::kEnd) break;
            if (step == Step::kItem) TRY(add(**items, top));
            if (context_.budget.is_stopped()) return {};
        }
        collected_ = true;
        more_ = top.more();
        sorted_ = std::move(top).take(charged_);
        // The next batch starts after the last item; no key is a prefix of another.
        if (!sorted_.empty()) from_ = sorted_.back().key + '\0';
        return {};
    }

    Status add(const Driver& item, TopKeys& top) {
        evaluator_.arena().reset();
        evaluator_.paths = item.paths();
        evaluator_.item_number = item.number();
        const bool taken = passes();
        if (auto error = evaluator_.take_error()) return *std::move(error);
        if (!taken) return {};
        std::string key = order_key(
            context_.query.order_by, context_.access.number_order, item.number(), evaluator_);
        if (auto error = evaluator_.take_error()) return *std::move(error);
        if (key >= from_ && !context_.budget.is_stopped()) top.add(std::move(key), item.number());
        return {};
    }

    // Filters that need no JOIN; the others are evaluated per row.
    bool passes() {
        for (const BoundPtr& filter : context_.query.filters) {
            if (filter->level > 0) break;
            if (!evaluator_.evaluate(*filter).is_true()) return false;
        }
        return true;
    }

    const DriverContext& context_;
    Access found_by_;
    DriverContext inner_;
    ItemLoader loader_;
    Evaluator evaluator_;
    std::string from_;
    std::vector<TopKeys::Place> sorted_;
    Arena charged_;  // for the sorted keys
    std::size_t at_ = 0;
    TopKeys::Place before_;  // the item before this one
    bool collected_ = false;
    bool more_ = false;
};

// Whether a token's hash is that of this key, with the number in either descending form.
bool is_key_of(const KeyPosition::Neighbour& item,
               const std::string& key,
               const std::vector<BoundOrder>& orders,
               NumberOrder order) {
    if (key_hash(key) == item.key_hash) return true;
    if (order == NumberOrder::kAscending) return false;
    const NumberOrder other = order == NumberOrder::kDescending ? NumberOrder::kDescendingByRange
                                                                : NumberOrder::kDescending;
    return key_hash(with_number_order(key, orders, other)) == item.key_hash;
}

}  // namespace

Result<std::string> first_key(const DriverContext& context, std::string_view position) {
    KeyPosition from = TRY(parse_key_position(position));
    const auto& orders = context.query.order_by;
    const NumberOrder order = context.access.number_order;
    if (!from.cut_of) return with_number_order(std::move(from.key), orders, order);
    ItemLoader loader(context, context.paths);
    Evaluator evaluator(context.variables, context.surroundings);
    const auto& [at, before] = *from.cut_of;
    for (const KeyPosition::Neighbour& item : {at, before}) {
        if (item.number == 0 || !TRY(loader.load(item.number))) continue;
        evaluator.paths = loader.values();
        std::string whole = order_key(orders, order, item.number, evaluator);
        if (!is_key_of(item, whole, orders, order)) continue;
        // Start after the preceding item; no key is a prefix of another.
        return item.number == at.number ? whole : whole + '\0';
    }
    return std::move(from.key);
}

Result<std::unique_ptr<Driver>> make_sort_driver(const DriverContext& context,
                                                 std::string_view position) {
    return std::unique_ptr<Driver>(
        std::make_unique<SortDriver>(context, TRY(first_key(context, position))));
}

}  // namespace orrery::sql
