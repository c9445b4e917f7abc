#include "sql/subquery.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "sql/canonical.h"
#include "sql/grouping.h"

namespace orrery::sql {

namespace {

// Collects rows into the evaluator's arena; with `distinct`, only the first of equal rows.
class GatheredRows {
public:
    GatheredRows(bool distinct, Arena& arena) : distinct_(distinct), arena_(arena) {}

    void add(const Value& row) {
        if (row.is_undefined()) return;
        if (distinct_) {
            std::string bytes;
            append_canonical(bytes, row, arena_);
            const std::size_t size = bytes.size();
            if (!seen_.insert(std::move(bytes)).second) return;
            arena_.charge(size + kEntryBytes);
        }
        rows_.push_back(row);
        arena_.charge(sizeof(Value));
    }

    std::span<const Value> take() const {
        const auto out = arena_.array<Value>(rows_.size());
        std::copy(rows_.begin(), rows_.end(), out.begin());
        return out;
    }

private:
    static constexpr std::size_t kEntryBytes = 64;  // of the set, besides the text

    bool distinct_;
    Arena& arena_;
    std::vector<Value> rows_;
    std::unordered_set<std::string> seen_;
};

}  // namespace

RowLoop::RowLoop(const BoundQuery& query, Evaluator& evaluator, Rows rows)
    : query_(query), evaluator_(evaluator), rows_(rows), levels_(query.sources.size()) {
    // Filters are ordered by the number of sources they need.
    const std::span<const BoundPtr> filters(query.filters);
    std::size_t from = 0;
    for (std::size_t level = 0; level <= levels_.size(); ++level) {
        std::size_t until = from;
        while (until < filters.size() && filters[until]->level <= level) {
            ++until;
        }
        (level == 0 ? item_filters_ : levels_[level - 1].filters) =
            filters.subspan(from, until - from);
        from = until;
    }
}

void RowLoop::start(const Value* derived) {
    deepest_.reset();
    single_ = false;
    if (!evaluator_.all_true(item_filters_)) return;
    if (levels_.empty()) {
        single_ = true;
        return;
    }
    open(
        0,
        derived == nullptr ? values_of(query_.sources[0]) : values_of(*derived, query_.sources[0]));
}

void RowLoop::start_at(const Place& place) {
    start();
    if (place.empty()) return;
    if (levels_.empty()) {
        single_ = single_ && place.front() == 0;
        return;
    }
    if (!deepest_) return;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
        Level& here = levels_[level];
        here.at = std::min<std::uint64_t>(place[level], here.values.size());
        if (level + 1 == std::min(place.size(), levels_.size()) || here.at == here.values.size()) {
            return;
        }
        take(level);
        open(level + 1, values_of(query_.sources[level + 1]));
    }
}

void RowLoop::open(std::size_t level, std::span<const Value> values) {
    Level& here = levels_[level];
    here.values = values;
    here.at = 0;
    here.mark = evaluator_.arena().mark();
    here.kept_rows = kept_rows_;
    deepest_ = level;
    pending_ = false;
}

std::span<const Value> RowLoop::values_of(const Value& derived, const BoundSource& source) {
    if (source.kind == BoundSource::Kind::kRows) return {&derived, 1};
    return derived.is_array() ? derived.elements(evaluator_.arena()) : std::span<const Value>();
}

bool RowLoop::next() {
    if (evaluator_.is_stopped()) return false;
    if (levels_.empty()) return std::exchange(single_, false);
    while (deepest_) {
        const bool found = advance(*deepest_);
        // The place stays what it is.
        if (evaluator_.is_stopped()) return false;
        if (!found) {
            if (*deepest_ == 0) {
                deepest_.reset();
                return false;
            }
            --*deepest_;
            pending_ = false;
            continue;
        }
        if (*deepest_ + 1 == levels_.size()) {
            if (rows_ == Rows::kKept) ++kept_rows_;
            return true;
        }
        const std::size_t inner = *deepest_ + 1;
        const std::span<const Value> values = values_of(query_.sources[inner]);
        if (evaluator_.is_stopped()) return false;
        open(inner, values);
    }
    return false;
}

void RowLoop::take(std::size_t level) {
    Level& here = levels_[level];
    evaluator_.variables[query_.sources[level].variable] = here.values[here.at++];
    pending_ = true;
}

bool RowLoop::advance(std::size_t level) {
    Level& here = levels_[level];
    while (here.at < here.values.size()) {
        if (here.kept_rows == kept_rows_) evaluator_.arena().rewind(here.mark);
        take(level);
        if (!evaluator_.budget().count() || evaluator_.error()) return false;
        if (evaluator_.all_true(here.filters)) return true;
        if (evaluator_.is_stopped()) return false;
        pending_ = false;
        if (reports_progress_) evaluator_.budget().progressed();
        if (evaluator_.is_stopped()) return false;
    }
    return false;
}

RowLoop::Place RowLoop::place() const {
    Place out;
    if (!deepest_) return out;
    for (std::size_t level = 0; level < *deepest_; ++level) {
        out.push_back(levels_[level].at - 1);
    }
    out.push_back(levels_[*deepest_].at - (pending_ ? 1 : 0));
    return out;
}

RowLoop::Place RowLoop::place_after() const {
    if (levels_.empty()) return {1};
    Place out = place();
    ++out.back();
    return out;
}

std::span<const Value> RowLoop::values_of(const BoundSource& source) {
    Arena& arena = evaluator_.arena();
    switch (source.kind) {
        case BoundSource::Kind::kExpression: {
            const Value value = evaluator_.evaluate(*source.expression);
            if (value.is_undefined()) return {};
            const auto one = arena.array<Value>(1);
            one[0] = value;
            return one;
        }
        case BoundSource::Kind::kElements: {
            const Value value = evaluator_.evaluate(*source.expression);
            return value.is_array() ? value.elements(arena) : std::span<const Value>();
        }
        case BoundSource::Kind::kRows:
            return evaluator_.rows_of(*source.query);
        case BoundSource::Kind::kRowElements: {
            std::vector<Value> all;
            for (const Value& row : evaluator_.rows_of(*source.query)) {
                if (!row.is_array() || !evaluator_.budget().count()) continue;
                const auto elements = row.elements(arena);
                all.insert(all.end(), elements.begin(), elements.end());
            }
            const auto out = arena.array<Value>(all.size());
            std::copy(all.begin(), all.end(), out.begin());
            return out;
        }
    }
    return {};
}

std::span<const Value> SubqueryRun::all() {
    if (query_.grouped) return grouped_rows();
    GatheredRows rows(query_.distinct, evaluator_.arena());
    RowLoop loop(query_, evaluator_, RowLoop::Rows::kKept);
    loop.start();
    while (loop.next()) {
        rows.add(evaluator_.evaluate(*query_.output));
    }
    return rows.take();
}

bool SubqueryRun::any() {
    if (query_.grouped) return !grouped_rows().empty();
    RowLoop loop(query_, evaluator_, RowLoop::Rows::kUsed);
    loop.start();
    while (loop.next()) {
        if (evaluator_.evaluate(*query_.output).is_defined()) return true;
    }
    return false;
}

std::span<const Value> SubqueryRun::grouped_rows() {
    Arena& arena = evaluator_.arena();
    const auto outer_keys = evaluator_.group_keys;
    const auto outer_aggregates = evaluator_.aggregates;
    Grouping grouping(query_, evaluator_);
    RowLoop loop(query_, evaluator_, RowLoop::Rows::kUsed);
    loop.start();
    while (loop.next()) {
        grouping.add();
    }
    GatheredRows rows(query_.distinct, arena);
    for (const auto& [key, group] : grouping.groups()) {
        grouping.enter(group);
        // The group's values are destroyed with the grouping.
        rows.add(copy(evaluator_.evaluate(*query_.output), arena));
    }
    evaluator_.group_keys = outer_keys;
    evaluator_.aggregates = outer_aggregates;
    return rows.take();
}

}  // namespace orrery::sql
