#include "sql/exec/lookup_driver.h"

#include <algorithm>

#include "sql/errors.h"
#include "sql/exec/predicate.h"
#include "sql/index_value.h"
#include "sql/plan/positions.h"

namespace orrery::sql {

namespace {

using PathState = IndexSource::PathState;

// Cursors open at once for one condition; for more values the matching items are listed instead.
constexpr std::size_t kCursorsMax = 16;
constexpr std::size_t kListedMax = 4'000'000;

// Builds postings from conditions. They may contain items that do not pass, but never miss one.
class PostingsMaker {
public:
    PostingsMaker(const DriverContext& context, const IndexSource& index, ItemNumber from)
        : context_(context), index_(index), from_(from) {}

    // Null pointer when the index cannot help.
    Result<PostingsPtr> make(const Condition& condition) const {
        switch (condition.kind) {
            case Condition::Kind::kAll:
                return PostingsPtr();
            case Condition::Kind::kNone:
                return nothing();
            case Condition::Kind::kPath:
                return make_path(condition);
            case Condition::Kind::kLacks: {
                const IndexSource::Path path = TRY(index_.find(condition.path));
                if (path.state == PathState::kUnusable) return PostingsPtr();
                return postings_of(TRY(index_.items_lacking(path, false)));
            }
            case Condition::Kind::kAnd:
                return make_and(condition);
            case Condition::Kind::kOr:
                return make_or(condition);
        }
        return PostingsPtr();
    }

private:
    PostingsPtr nothing() const { return postings_of(std::vector<ItemNumber>(), context_.budget); }

    Result<PostingsPtr> make_path(const Condition& condition) const {
        const IndexSource::Path path = TRY(index_.find(condition.path));
        if (path.state == PathState::kUnusable) return PostingsPtr();
        if (path.state == PathState::kAbsent) return nothing();
        const bool points = condition.reach == Condition::Reach::kPoint;
        if (!points || condition.bounds.size() > kCursorsMax) return list(condition, path.id);
        std::vector<PostingsPtr> parts;
        for (const index::ValueBounds& bounds : condition.bounds) {
            parts.push_back(postings_of_value(index_.terms(path.id, bounds, false), bounds.from));
        }
        return union_of(std::move(parts));
    }

    Result<PostingsPtr> list(const Condition& condition, index::PathId path) const {
        Predicate predicate(&condition, context_);
        std::vector<ItemNumber> numbers;
        for (const index::ValueBounds& bounds : condition.bounds) {
            const auto cursor = index_.terms(path, bounds, false);
            for (; cursor->valid(); cursor->next()) {
                ++context_.counters.index_entries_read;
                if (predicate.may_hold(cursor->value())) numbers.push_back(cursor->docnum());
                if (!context_.budget.count(kEntryUnits))
                    return context_.budget.status().take_error();
                if (numbers.size() > kListedMax) {
                    return plain_query_error("The filter matches too many index entries.");
                }
            }
            TRY(cursor->status());
        }
        return postings_of(std::move(numbers), context_.budget);
    }

    // Equalities are intersected; without any, the narrowest other part is used.
    Result<PostingsPtr> make_and(const Condition& condition) const {
        std::vector<PostingsPtr> points;
        for (const Condition& part : condition.parts) {
            if (part.reach != Condition::Reach::kPoint) continue;
            if (auto postings = TRY(make(part))) points.push_back(std::move(postings));
        }
        if (!points.empty()) {
            return intersection_of(std::move(points), {.from = from_, .budget = context_.budget});
        }
        for (const auto reach : {Condition::Reach::kRange, Condition::Reach::kWide}) {
            for (const Condition& part : condition.parts) {
                if (part.reach != reach) continue;
                if (auto postings = TRY(make(part))) return postings;
            }
        }
        return PostingsPtr();
    }

    Result<PostingsPtr> make_or(const Condition& condition) const {
        std::vector<PostingsPtr> parts;
        for (const Condition& part : condition.parts) {
            auto postings = TRY(make(part));
            if (postings == nullptr) return PostingsPtr();
            parts.push_back(std::move(postings));
        }
        return union_of(std::move(parts));
    }

    const DriverContext& context_;
    const IndexSource& index_;
    const ItemNumber from_;
};

class LookupDriver : public Driver {
public:
    LookupDriver(const DriverContext& context, PostingsPtr postings)
        : context_(context), loader_(context, context.shown), postings_(std::move(postings)) {}

    Result<Step> next() override {
        while (true) {
            if (started_) postings_->next();
            started_ = true;
            if (!postings_->valid()) break;
            ++context_.counters.index_entries_read;
            number_ = postings_->number();
            const bool visible = TRY(loader_.load(number_));
            if (context_.budget.is_stopped()) return stopped(context_.budget);
            if (visible) return Step::kItem;
            context_.budget.progressed();
        }
        TRY(postings_->status());
        return Step::kEnd;
    }
    ItemNumber number() const override { return number_; }
    std::span<const Value> paths() const override { return loader_.values(); }
    std::string position() const override { return number_position(number_); }

private:
    const DriverContext& context_;
    ItemLoader loader_;
    PostingsPtr postings_;
    ItemNumber number_ = 0;
    bool started_ = false;
};

}  // namespace

Result<std::unique_ptr<Driver>> make_lookup_driver(const DriverContext& context, ItemNumber from) {
    const IndexSource& index = *context.source.index();
    const PostingsMaker maker(context, index, from);
    std::vector<PostingsPtr> all;
    for (const std::size_t part : context.access.conditions) {
        if (auto postings = TRY(maker.make(context.condition.parts[part]))) {
            all.push_back(std::move(postings));
        }
    }
    if (auto members = context.source.members()) {
        all.push_back(postings_of(std::move(members)));
    }
    if (all.empty()) return Error(ErrorCode::kInternal, "index lookup without conditions");
    auto unindexed = index.unindexed();
    PostingsPtr postings = intersection_of(
        std::move(all),
        {.from = from, .budget = context.budget, .reports_progress = !unindexed->valid()});
    if (unindexed->valid()) {
        std::vector<PostingsPtr> both;
        both.push_back(std::move(postings));
        both.push_back(postings_of(std::move(unindexed)));
        postings = union_of(std::move(both));
    } else {
        TRY(unindexed->status());
    }
    if (from > 0) postings->seek(from);
    return std::unique_ptr<Driver>(std::make_unique<LookupDriver>(context, std::move(postings)));
}

}  // namespace orrery::sql
