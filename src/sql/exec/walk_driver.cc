#include "sql/exec/walk_driver.h"

#include "sql/exec/positions.h"
#include "sql/exec/predicate.h"
#include "sql/index_value.h"

namespace orrery::sql {

namespace {

class WalkDriver : public Driver {
public:
    WalkDriver(const DriverContext& context, std::unique_ptr<index::TermCursor> cursor)
        : context_(context),
          loader_(context),
          predicate_(context.condition.parts[context.access.walked], context),
          cursor_(std::move(cursor)),
          covering_(context.paths.size()) {}

    Result<bool> next() override {
        while (true) {
            if (started_) cursor_->next();
            started_ = true;
            if (!cursor_->valid()) break;
            ++context_.counters.index_entries_read;
            if (context_.access.covered && show_entry()) return true;
            if (!predicate_.may_hold(cursor_->value())) continue;
            shown_ = loader_.values();
            if (TRY(loader_.load(cursor_->docnum()))) return true;
        }
        TRY(cursor_->status());
        return false;
    }
    ItemNumber number() const override { return cursor_->docnum(); }
    std::span<const Value> paths() const override { return shown_; }
    std::string position() const override {
        return value_position(cursor_->value(), cursor_->docnum());
    }

private:
    // The entry instead of the item; false when it does not hold the whole value.
    bool show_entry() {
        arena_.reset();
        const auto value = decode(cursor_->value(), arena_);
        if (!value) return false;
        covering_.front() = *value;
        shown_ = covering_;
        return true;
    }

    const DriverContext& context_;
    ItemLoader loader_;
    Predicate predicate_;
    std::unique_ptr<index::TermCursor> cursor_;
    bool started_ = false;
    Arena arena_;
    std::vector<Value> covering_;
    std::span<const Value> shown_;
};

}  // namespace

Result<std::unique_ptr<Driver>> make_walk_driver(const DriverContext& context,
                                                 std::string_view position) {
    const Condition& condition = context.condition.parts[context.access.walked];
    const IndexSource& index = *context.source.index();
    const IndexSource::Path path = TRY(index.find(condition.path));
    // A path nobody has, has no entries under any number.
    index::ValueBounds bounds = condition.bounds.front();
    if (path.state == IndexSource::PathState::kAbsent) bounds.until = bounds.from;
    auto cursor = index.terms(path.id, bounds, false);
    if (const auto from = TRY(parse_value_position(position))) {
        cursor->seek(from->value, from->number);
    }
    return std::unique_ptr<Driver>(std::make_unique<WalkDriver>(context, std::move(cursor)));
}

}  // namespace orrery::sql
