// Queries that need all their rows before they can return one: GROUP BY, aggregates, DISTINCT.
// Their results are sorted by key, so that a page can start at a key whatever was written in the
// meantime.

#pragma once

#include <optional>

#include "base/result.h"
#include "sql/bound.h"
#include "sql/evaluator.h"
#include "sql/exec/output.h"
#include "sql/exec/resume.h"
#include "sql/source.h"

namespace orrery::sql {

bool needs_whole_result(const BoundQuery& query);

struct WholeResultContext {
    const Prepared& prepared;
    Evaluator& evaluator;
    ItemSource& source;
    const Surroundings& surroundings;
    const PageLimits& limits;
};

// Records in the page how items were found and what was read. Aggregates without GROUP BY that take
// longer than a page give an empty page; the place where they go on holds what they have
// accumulated.
Result<std::optional<Resume>> run_whole_result(const WholeResultContext& context,
                                               const Resume& from,
                                               Output& output,
                                               ResultPage& page);

}  // namespace orrery::sql
