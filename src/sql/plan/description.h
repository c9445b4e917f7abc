// What EXPLAIN and index metrics say of a plan beyond what it takes to run it.

#pragma once

#include "base/result.h"
#include "sql/bound.h"
#include "sql/plan/access.h"
#include "sql/plan/condition.h"
#include "sql/source.h"

namespace orrery::sql {

Status describe(Access& access,
                const BoundQuery& query,
                const Condition& condition,
                const ItemSource& source);

}  // namespace orrery::sql
