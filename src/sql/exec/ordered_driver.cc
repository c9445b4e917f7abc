#include "sql/exec/ordered_driver.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/bytes.h"
#include "index/value_encoding.h"
#include "sql/exec/order_key.h"
#include "sql/exec/sort_driver.h"
#include "sql/exec/top_keys.h"
#include "sql/plan/positions.h"

namespace orrery::sql {

namespace {

std::string inverted(std::string bytes) {
    std::transform(
        bytes.begin(), bytes.end(), bytes.begin(), [](char c) { return static_cast<char>(~c); });
    return bytes;
}

// Length of the key up to the hash of the first string that the index has truncated, if there is
// one; otherwise up to the end of its values.
struct ValuesEnd {
    std::size_t size = 0;
    bool cut = false;
};

ValuesEnd end_of_values(std::string_view key, const std::vector<BoundOrder>& orders) {
    std::size_t size = 0;
    for (const BoundOrder& order : orders) {
        const std::size_t cut = index::cut_length(key.substr(size), index_order(order));
        if (cut > 0) return {size + cut, true};
        const std::size_t one = index::encoded_length(key.substr(size), index_order(order));
        if (one == 0) return {key.size(), false};
        size += one;
    }
    return {size, false};
}

class OrderedDriver : public Driver {
public:
    explicit OrderedDriver(const DriverContext& context)
        : context_(context),
          loader_(context, context.shown),
          keys_(context, context.paths),
          evaluator_(context.variables, context.surroundings),
          charged_(context.budget) {}

    Status open(std::string_view position) {
        from_ = TRY(first_key(context_, position));
        const Access& access = context_.access;
        if (!access.composite) {
            path_ = TRY(context_.source.index()->find(path_of_order()));
            if (access.with_undefined) {
                lacking_ = TRY(context_.source.index()->items_lacking(path_, access.backward));
                lacking_first_ = !access.backward;
            }
        }
        entries_ = open_entries();
        if (!from_.empty()) seek();
        return {};
    }

    Result<Step> next() override {
        before_ = number_;
        before_key_.swap(key_);
        if (lacking_first_) {
            const Step step = TRY(next_lacking());
            if (step != Step::kEnd) return step;
        }
        const Step step = TRY(next_entry());
        if (step != Step::kEnd || lacking_first_) return step;
        return next_lacking();
    }

    ItemNumber number() const override { return number_; }
    std::span<const Value> paths() const override { return loader_.values(); }
    std::string position() const override {
        return key_position({number_, key_}, {before_, before_key_});
    }

private:
    model::IndexPath path_of_order() const {
        model::IndexPath path;
        for (const ast::PathStep& step : *context_.query.order_by.front().path) {
            path.push_back({.name = std::get<std::string>(step), .element = false});
        }
        return path;
    }

    std::unique_ptr<index::TermCursor> open_entries() const {
        const IndexSource& index = *context_.source.index();
        const Access& access = context_.access;
        if (access.composite) {
            return index.composite(*access.composite, access.bounds, access.backward);
        }
        index::ValueBounds bounds = access.bounds;
        if (path_.state == IndexSource::PathState::kAbsent) bounds.until = bounds.from;
        return index.terms(path_.id, bounds, access.backward);
    }

    // Moves both cursors to the start key.
    void seek() {
        const bool backward = context_.access.backward;
        const std::string undefined = undefined_values();
        if (!context_.access.composite) {
            if (from_.starts_with(undefined)) {
                if (lacking_) lacking_->seek(number_at(undefined.size()));
                if (backward) entries_.reset();
                return;
            }
            if (!backward) lacking_.reset();
        }
        const ValuesEnd end = end_of_values(from_, context_.query.order_by);
        seek_entries(from_.substr(0, end.size), end.cut ? first_number() : number_at(end.size));
    }

    void seek_entries(std::string values, ItemNumber number) {
        if (!context_.access.backward) return entries_->seek(values, number);
        values = inverted(std::move(values));
        // Start at the last entry with this prefix.
        if (number == first_number()) values += std::string(kHashBytesMax, '\xff');
        entries_->seek(values, number);
    }

    ItemNumber first_number() const { return context_.access.backward ? kLastNumber : 0; }

    ItemNumber number_at(std::size_t offset) const {
        const std::string_view rest =
            std::string_view(from_).substr(std::min(offset, from_.size()));
        if (rest == kAfterAllNumbers) return context_.access.backward ? 0 : kLastNumber;
        ByteReader reader(rest);
        const auto number = reader.big_endian<ItemNumber>();
        if (!reader.ok()) return first_number();
        return number_of(number, context_.access.number_order);
    }

    std::string undefined_values() const {
        std::string encoded;
        index::encode_undefined(encoded);
        return context_.access.backward ? inverted(encoded) : encoded;
    }

    std::string values_of_entry() const {
        std::string value(entries_->value());
        return context_.access.backward ? inverted(std::move(value)) : value;
    }

    Result<Step> next_entry() {
        while (entries_) {
            const Step of_run = TRY(next_of_run());
            if (of_run != Step::kEnd) return of_run;
            if (step_) entries_->next();
            step_ = true;
            if (!entries_->valid()) break;
            ++context_.counters.index_entries_read;
            key_ = values_of_entry();
            const ValuesEnd end = end_of_values(key_, context_.query.order_by);
            if (end.cut) {
                run_ = key_.substr(0, end.size);
                run_more_ = true;
                step_ = false;
                continue;
            }
            number_ = entries_->docnum();
            append_big_endian(key_, order_number(number_, context_.access.number_order));
            const Step step = TRY(load());
            if (step != Step::kEnd) return step;
        }
        if (entries_) TRY(entries_->status());
        entries_.reset();
        return Step::kEnd;
    }

    // kEnd when the item is not visible.
    Result<Step> load() {
        const bool visible = TRY(loader_.load(number_));
        if (context_.budget.is_stopped()) return stopped(context_.budget);
        if (visible) return Step::kItem;
        context_.budget.progressed();
        return Step::kEnd;
    }

    // Strings that share a longer prefix than the index keeps are sorted here, as many at a time as
    // a page can take.
    Result<Step> next_of_run() {
        while (run_more_ || run_at_ < sorted_.size()) {
            if (run_at_ == sorted_.size()) {
                TRY(sort_run());
                if (context_.budget.is_stopped()) return stopped(context_.budget);
                if (sorted_.empty()) return Step::kEnd;
            }
            const TopKeys::Place& place = sorted_[run_at_++];
            key_ = place.key;
            number_ = place.number;
            const Step step = TRY(load());
            if (step != Step::kEnd) return step;
        }
        return Step::kEnd;
    }

    // Leaves the cursor after the run, or the position before it if the budget is used up.
    Status sort_run() {
        // A batch that is not complete is of no use; without progress the next page would have to
        // begin it again.
        std::optional<Budget::Atomic> atomic;
        if (!context_.budget.has_progressed()) atomic.emplace(context_.budget);
        TopKeys top(sorted_at_once(context_.rows_wanted), context_.budget);
        key_ = std::max(run_, from_);
        number_ = 0;
        entries_ = open_entries();
        seek_entries(run_, first_number());
        for (; entries_->valid() && values_of_entry().starts_with(run_); entries_->next()) {
            ++context_.counters.index_entries_read;
            const ItemNumber number = entries_->docnum();
            if (!TRY(keys_.load(number))) continue;
            evaluator_.arena().reset();
            evaluator_.paths = keys_.values();
            std::string key = order_key(
                context_.query.order_by, context_.access.number_order, number, evaluator_);
            if (auto error = evaluator_.take_error()) return *std::move(error);
            if (context_.budget.is_stopped()) return {};
            if (key >= from_) top.add(std::move(key), number);
        }
        TRY(entries_->status());
        run_more_ = top.more();
        sorted_ = std::move(top).take(charged_);
        run_at_ = 0;
        if (!sorted_.empty()) from_ = sorted_.back().key + '\0';
        return {};
    }

    Result<Step> next_lacking() {
        while (lacking_) {
            if (lacking_started_) lacking_->next();
            lacking_started_ = true;
            if (!lacking_->valid()) break;
            ++context_.counters.index_entries_read;
            number_ = lacking_->docnum();
            key_ = undefined_values();
            append_big_endian(key_, order_number(number_, context_.access.number_order));
            const Step step = TRY(load());
            if (step == Step::kPaused) return step;
            if (step == Step::kEnd) continue;
            const bool lacks = !lacking_->to_be_checked() || TRY(really_lacks());
            if (context_.budget.is_stopped()) return stopped(context_.budget);
            if (lacks) return Step::kItem;
            context_.budget.progressed();
        }
        if (lacking_) TRY(lacking_->status());
        lacking_.reset();
        return Step::kEnd;
    }

    Result<bool> really_lacks() {
        evaluator_.arena().reset();
        evaluator_.paths = loader_.values();
        const Value value = evaluator_.evaluate(*context_.query.order_by.front().expression);
        if (auto error = evaluator_.take_error()) return *std::move(error);
        return value.is_undefined();
    }

    static constexpr ItemNumber kLastNumber = std::numeric_limits<ItemNumber>::max();
    // At least as long as the hash after a truncated string.
    static constexpr std::size_t kHashBytesMax = 32;

    const DriverContext& context_;
    ItemLoader loader_;
    ItemLoader keys_;  // of items that have to be sorted
    Evaluator evaluator_;
    std::string from_;  // the start key
    IndexSource::Path path_;
    std::unique_ptr<index::TermCursor> entries_;
    bool step_ = false;  // the current entry has been taken
    std::unique_ptr<index::DocnumCursor> lacking_;
    bool lacking_first_ = false;
    bool lacking_started_ = false;
    std::string run_;  // common prefix of the run's keys
    bool run_more_ = false;
    std::vector<TopKeys::Place> sorted_;
    Arena charged_;  // for the sorted keys
    std::size_t run_at_ = 0;
    std::string key_;
    ItemNumber number_ = 0;
    ItemNumber before_ = 0;
    std::string before_key_;
};

}  // namespace

Result<std::unique_ptr<Driver>> make_ordered_driver(const DriverContext& context,
                                                    std::string_view position) {
    auto driver = std::make_unique<OrderedDriver>(context);
    TRY(driver->open(position));
    return std::unique_ptr<Driver>(std::move(driver));
}

}  // namespace orrery::sql
