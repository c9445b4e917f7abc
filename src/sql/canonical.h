// Values as bytes that are equal exactly when the values are, and sort as ORDER BY does. Used for
// keys of groups, of DISTINCT, of long IN lists, and positions in continuation tokens.

#pragma once

#include <string>

#include "sql/arena.h"
#include "sql/value.h"

namespace orrery::sql {

// Self-delimiting: the concatenated keys of several values sort value by value. Undefined is
// encoded as a value, too.
void append_canonical(std::string& out, const Value& value, Arena& arena);

}  // namespace orrery::sql
