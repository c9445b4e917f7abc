// Runs the sources and filters of a query for one item or one outer row: nested loops over arrays,
// each level seeing the variables of those before it. Subqueries run to completion; the rows of a
// whole query are taken one by one (exec/).

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sql/bound.h"
#include "sql/evaluator.h"

namespace orrery::sql {

class RowLoop {
public:
    // Both must outlive it. The elements it loops over live in the evaluator's arena.
    RowLoop(const BoundQuery& query, Evaluator& evaluator);

    // Starts from the evaluator's current row. `derived` is a row of a subquery in FROM that has
    // already run; the first source then takes its values from it.
    void start(const Value* derived = nullptr);

    // Sets the variables to the next row that passes the filters; false when there is none or the
    // evaluator has failed.
    bool next();

private:
    struct Level {
        std::span<const Value> values;
        std::size_t at = 0;                 // index of the next value
        std::span<const BoundPtr> filters;  // decidable once this level is bound
    };

    std::span<const Value> values_of(const BoundSource& source);
    std::span<const Value> values_of(const Value& derived, const BoundSource& source);
    // Takes the next value on this level that passes its filters.
    bool advance(std::size_t level);

    const BoundQuery& query_;
    Evaluator& evaluator_;
    std::span<const BoundPtr> item_filters_;  // that need no source
    std::vector<Level> levels_;
    std::optional<std::size_t> deepest_;  // the level to advance; nothing at the end
    bool single_ = false;                 // without sources there is one row
};

// A subquery for the current row.
class SubqueryRun {
public:
    SubqueryRun(const BoundQuery& query, Evaluator& evaluator)
        : query_(query), evaluator_(evaluator) {}

    std::span<const Value> all();
    bool any();

private:
    std::span<const Value> grouped_rows();

    const BoundQuery& query_;
    Evaluator& evaluator_;
};

}  // namespace orrery::sql
