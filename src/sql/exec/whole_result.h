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

// Records in the page how items were found and what was read.
Result<std::optional<Resume>> run_whole_result(const Prepared& prepared,
                                               ItemSource& source,
                                               const Surroundings& surroundings,
                                               const Resume& from,
                                               const PageLimits& limits,
                                               Output& output,
                                               ResultPage& page);

}  // namespace orrery::sql
