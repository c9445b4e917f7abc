// The start of a sorted query, given by sort keys (resumeFilter in the body): .NET and Rust resume
// ORDER BY this way.

#pragma once

#include <string>

#include "base/result.h"
#include "sql/plan/access.h"
#include "sql/query_spec.h"

namespace orrery::sql {

// The position of the first row that the filter admits. kBadRequest when it does not match the
// query's ORDER BY.
Result<std::string> position_of(const ResumeFilter& filter,
                                const BoundQuery& query,
                                const Access& access);

}  // namespace orrery::sql
