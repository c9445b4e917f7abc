// Runs the sources and filters of a query for one item or one outer row: nested loops over arrays,
// each level seeing the variables of those before it. Subqueries run to completion; the rows of a
// whole query are taken one by one (exec/).

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sql/bound.h"
#include "sql/evaluator.h"

namespace orrery::sql {

class RowLoop {
public:
    // What becomes of the rows.
    enum class Rows : std::uint8_t {
        kUsed,  // the caller is done with a row before it asks for the next
        kKept,  // rows share the arena until it is reset
    };
    // Both must outlive it. The elements it loops over live in the evaluator's arena.
    RowLoop(const BoundQuery& query, Evaluator& evaluator, Rows rows);

    // A place in the loop: the index of an element on each level, outermost first, down to the one
    // to examine next; empty is the start. Without sources, a 1 is after the only row.
    using Place = std::vector<std::uint64_t>;

    // Starts from the evaluator's current row. `derived` is a row of a subquery in FROM that has
    // already run; the first source then takes its values from it.
    void start(const Value* derived = nullptr);
    // Starts at a place of the same loop. An item that has changed since may have no such place;
    // then the nearest one after it.
    void start_at(const Place& place);

    // Sets the variables to the next row that passes the filters; false when there is none or the
    // evaluator is stopped.
    bool next();

    // Where to start again in order to get the current row or, if the evaluator was stopped, the
    // row it was looking for.
    Place place() const;
    // The same for the row after the current one.
    Place place_after() const;

    // Whether rows may follow the current one.
    bool may_have_more() const { return !levels_.empty(); }

    // The items pass the filters that need no source.
    void trust_items() { item_filters_ = {}; }

    // Tells the budget when an element has been examined. For the loop over the rows of a page.
    void report_progress() { reports_progress_ = true; }

private:
    struct Level {
        std::span<const Value> values;
        std::size_t at = 0;                 // index of the next value
        std::span<const BoundPtr> filters;  // decidable once this level is bound
        // To free what was allocated for the elements before, unless there are rows that need it.
        Arena::Mark mark;
        std::uint64_t kept_rows = 0;
    };

    void open(std::size_t level, std::span<const Value> values);
    std::span<const Value> values_of(const BoundSource& source);
    std::span<const Value> values_of(const Value& derived, const BoundSource& source);
    // Binds the next value of this level.
    void take(std::size_t level);
    // Takes the next value on this level that passes its filters.
    bool advance(std::size_t level);

    const BoundQuery& query_;
    Evaluator& evaluator_;
    const Rows rows_;
    bool reports_progress_ = false;
    std::span<const BoundPtr> item_filters_;  // that need no source
    std::vector<Level> levels_;
    std::optional<std::size_t> deepest_;  // the level to advance; nothing at the end
    bool pending_ = false;                // its current value is still being examined
    bool single_ = false;                 // without sources there is one row
    std::uint64_t kept_rows_ = 0;         // so far
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
