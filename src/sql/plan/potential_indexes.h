// Indexes the container lacks that would serve a query better: paths it filters or sorts by that
// are not indexed, and a composite index over several of them.

#pragma once

#include "index/path_policy.h"
#include "sql/bound.h"
#include "sql/plan/access.h"
#include "sql/plan/condition.h"

namespace orrery::sql {

Access::Indexes potential_indexes(const BoundQuery& query,
                                  const Condition& condition,
                                  const index::PathPolicy* policy);

}  // namespace orrery::sql
