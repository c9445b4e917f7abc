// Plan details for EXPLAIN and index metrics that execution does not need.

#pragma once

#include "base/result.h"
#include "sql/bound.h"
#include "sql/budget.h"
#include "sql/plan/access.h"
#include "sql/plan/condition.h"
#include "sql/source.h"

namespace orrery::sql {

Status describe(Access& access,
                const BoundQuery& query,
                const Condition& condition,
                const ItemSource& source,
                Budget& budget);

}  // namespace orrery::sql
