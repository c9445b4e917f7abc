// Puts conditions that must all be met into one.

#pragma once

#include "sql/plan/condition.h"

namespace orrery::sql {

// Adds a part to a condition of kind kAnd: parts of parts become its own, and ranges of one path
// become one range.
void add_part(Condition& all, Condition part);

}  // namespace orrery::sql
