#include "sql/exec/walk_driver.h"

#include "sql/exec/predicate.h"
#include "sql/index_value.h"
#include "sql/plan/positions.h"

namespace orrery::sql {

namespace {

class WalkDriver : public Driver {
public:
    explicit WalkDriver(const DriverContext& context)
        : context_(context),
          loader_(context, context.shown),
          predicate_(condition_of(context), context),
          arena_(context.budget),
          covering_(context.paths.size()) {}

    Status open(std::string_view position) {
        const Access& access = context_.access;
        const IndexSource& index = *context_.source.index();
        if (!access.composite) path_ = TRY(index.find(access.path));
        cursor_ = open_entries(false);
        if (const auto from = TRY(parse_value_position(position))) {
            cursor_->seek(from->value, from->number);
        }
        if (access.with_undefined) lacking_ = TRY(index.items_lacking(path_, false));
        return {};
    }

    Result<Step> next() override {
        if (cursor_) {
            const Step step = TRY(next_entry());
            if (step != Step::kEnd) return step;
        }
        return lacking_ ? next_lacking() : Step::kEnd;
    }
    ItemNumber number() const override { return number_; }
    std::span<const Value> paths() const override { return shown_; }
    std::uint64_t run() const override { return run_; }
    std::string position() const override {
        return value_position({.part = context_.access.walked.value_or(0),
                               .number = number_,
                               .value = in_run_ ? *covered_ : std::string(cursor_->value())});
    }

private:
    static const Condition* condition_of(const DriverContext& context) {
        const auto& part = context.access.walked;
        if (!part || context.access.composite) return nullptr;
        return &context.condition.parts[*part];
    }

    std::unique_ptr<index::TermCursor> open_entries(bool backward) const {
        const Access& access = context_.access;
        if (access.composite) {
            return context_.source.index()->composite(*access.composite, access.bounds, backward);
        }
        index::ValueBounds bounds = access.bounds;
        // A path that no item has is not in the index: make its bounds empty.
        if (path_.state == IndexSource::PathState::kAbsent) bounds.until = bounds.from;
        return context_.source.index()->terms(path_.id, bounds, backward);
    }

    Result<Step> next_entry() {
        while (true) {
            if (started_) cursor_->next();
            started_ = true;
            if (!cursor_->valid() || (ended_ && context_.access.ends_only)) break;
            ++context_.counters.index_entries_read;
            number_ = cursor_->docnum();
            ended_ = true;
            run_ = 1;
            in_run_ = false;
            if (!context_.budget.count(kEntryUnits)) return stopped(context_.budget);
            if (context_.access.covered && show_entry()) {
                if (context_.takes_runs && !context_.access.ends_only) take_run();
                return Step::kItem;
            }
            if (TRY(show_item())) return Step::kItem;
            if (context_.budget.is_stopped()) return stopped(context_.budget);
            context_.budget.progressed();
        }
        TRY(cursor_->status());
        if (!context_.access.ends_only || at_last_) {
            cursor_.reset();
            return Step::kEnd;
        }
        // Continue from the other end.
        at_last_ = true;
        started_ = ended_ = false;
        cursor_ = open_entries(true);
        return next_entry();
    }

    // Loads the item of the entry; false when it does not pass.
    Result<bool> show_item() {
        if (!predicate_.may_hold(cursor_->value())) return false;
        shown_ = loader_.values();
        return TRY(loader_.load(number_)) && !context_.budget.is_stopped();
    }

    // Uses the entry in place of the item; false when it does not hold the whole value.
    bool show_entry() {
        shown_ = covering_;
        if (covered_ == cursor_->value()) return true;  // as all entries of an equality
        covered_.reset();
        arena_.reset();
        const auto value = decode(cursor_->value(), arena_);
        if (!value) return false;
        covering_.front() = *value;
        covered_ = cursor_->value();
        return true;
    }

    // Passes the entries that follow with the same value. When the budget ends here, so does the
    // run, which is then not used; the next page begins with it.
    void take_run() {
        constexpr std::uint64_t kRunMax = 1024;  // so that pages can end
        in_run_ = true;
        while (run_ < kRunMax) {
            cursor_->next();
            if (!cursor_->valid() || cursor_->value() != *covered_) {
                started_ = false;  // at the next entry already
                return;
            }
            ++context_.counters.index_entries_read;
            ++run_;
            if (!context_.budget.count(kEntryUnits)) return;
        }
    }

    // Items without the path: undefined is the only value the query needs from them.
    Result<Step> next_lacking() {
        while (true) {
            run_ = 1;
            if (lacking_started_) lacking_->next();
            lacking_started_ = true;
            if (!lacking_->valid()) break;
            ++context_.counters.index_entries_read;
            number_ = lacking_->docnum();
            if (!context_.budget.count(kEntryUnits)) return stopped(context_.budget);
            if (!lacking_->to_be_checked()) {
                covering_.front() = Value::undefined();
                shown_ = covering_;
                return Step::kItem;
            }
            shown_ = loader_.values();
            // Items that do have the path have already been returned.
            if (TRY(loader_.load(number_)) && shown_.front().is_undefined()) return Step::kItem;
        }
        TRY(lacking_->status());
        lacking_.reset();
        return Step::kEnd;
    }

    const DriverContext& context_;
    ItemLoader loader_;
    Predicate predicate_;
    IndexSource::Path path_;
    std::unique_ptr<index::TermCursor> cursor_;
    std::unique_ptr<index::DocnumCursor> lacking_;
    std::optional<std::string> covered_;  // the entry's value that covering_ shows
    bool started_ = false;
    bool lacking_started_ = false;
    bool ended_ = false;    // this end has been returned
    bool at_last_ = false;  // walking from the far end
    ItemNumber number_ = 0;
    std::uint64_t run_ = 1;  // the entries that the shown one stands for
    bool in_run_ = false;    // the cursor may have passed the shown entry
    Arena arena_;
    std::vector<Value> covering_;
    std::span<const Value> shown_;
};

}  // namespace

Result<std::unique_ptr<Driver>> make_walk_driver(const DriverContext& context,
                                                 std::string_view position) {
    auto driver = std::make_unique<WalkDriver>(context);
    TRY(driver->open(position));
    return std::unique_ptr<Driver>(std::move(driver));
}

}  // namespace orrery::sql
