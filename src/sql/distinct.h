// The hash that orders arrays and objects (json/distinct_hash.h), of values in a query.

#pragma once

#include "base/hash.h"
#include "sql/arena.h"
#include "sql/value.h"

namespace orrery::sql {

// Not of undefined.
Hash128 distinct_hash(const Value& value, Arena& arena);

}  // namespace orrery::sql
