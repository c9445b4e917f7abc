// Queries that must see all their rows before they have one: GROUP BY, aggregates, DISTINCT. Their
// result is put into the order of its keys, so that a page can begin behind a key whatever was
// written meanwhile.

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

// Notes in the page how the items were found and what was read.
Result<std::optional<Resume>> run_whole_result(const Prepared& prepared,
                                               ItemSource& source,
                                               const Surroundings& surroundings,
                                               const Resume& from,
                                               const PageLimits& limits,
                                               Output& output,
                                               ResultPage& page);

}  // namespace orrery::sql
