// Takes the rows of one item until the page ends.

#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "sql/evaluator.h"
#include "sql/subquery.h"

namespace orrery::sql {

enum class Taken : std::uint8_t {
    kYes,
    kLast,      // the page ends after this row
    kNotAtAll,  // the page ends before this row
    kEnough,    // the query needs no more rows
};

// Calls `take` for each row of a loop that has been started. When the page ends here, returns where
// to go on; nothing when all rows are done.
template <typename Take>
Result<std::optional<RowLoop::Place>> take_rows(RowLoop& loop, Evaluator& evaluator, Take take) {
    Budget& budget = evaluator.budget();
    while (loop.next()) {
        const Taken taken = TRY(take());
        if (evaluator.is_stopped()) break;
        if (taken == Taken::kEnough) return std::optional<RowLoop::Place>();
        if (taken == Taken::kNotAtAll) return std::optional(loop.place());
        budget.progressed();
        if (taken == Taken::kLast) return std::optional(loop.place_after());
        if (!budget.page_ended()) continue;
        // The page ends at the next item.
        if (!loop.may_have_more()) return std::optional<RowLoop::Place>();
        return std::optional(loop.place_after());
    }
    if (auto error = evaluator.take_error()) return *std::move(error);
    if (budget.page_ended()) return std::optional(loop.place());
    TRY(budget.status());
    return std::optional<RowLoop::Place>();
}

}  // namespace orrery::sql
