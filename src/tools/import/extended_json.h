// MongoDB's extended JSON, as mongoexport writes it (versions 1 and 2), as plain JSON:
//   {"$oid":"5f…"} → "5f…"   {"$date":…} → "2024-05-01T12:00:00.000Z"   {"$numberLong":"7"} → 7
// docs/tools.md has the whole table.

#pragma once

#include "base/result.h"
#include "json/value.h"

namespace orrery::tools {

// kBadRequest for types without a counterpart: minimum and maximum keys, code with a scope.
Result<json::Value> to_plain_json(json::Value value);

// "2024-05-01T12:00:00.000Z"; an error outside the years 0 to 9999.
Result<std::string> print_timestamp(std::int64_t milliseconds);

}  // namespace orrery::tools
