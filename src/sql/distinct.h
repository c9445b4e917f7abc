// The hash that orders arrays and objects (json/distinct_hash.h), for query values.

#pragma once

#include "base/hash.h"
#include "sql/arena.h"
#include "sql/value.h"

namespace orrery::sql {

// `value` must be defined.
Hash128 distinct_hash(const Value& value, Arena& arena);

}  // namespace orrery::sql
