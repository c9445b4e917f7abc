// Combines conditions that must all be met.

#pragma once

#include "sql/plan/condition.h"

namespace orrery::sql {

// Adds a part to a condition of kind kAnd: nested parts are flattened, and ranges of one path are
// merged.
void add_part(Condition& all, Condition part);

}  // namespace orrery::sql
