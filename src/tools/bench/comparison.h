// Two results of the same workload, side by side.

#pragma once

#include <string>

#include "base/result.h"
#include "json/value.h"

namespace orrery::tools::bench {

// A table with the differences in percent. kBadRequest if one is not a result of this tool,
// kConflict if they measure different things.
Result<std::string> compare(const json::Value& before, const json::Value& after);

}  // namespace orrery::tools::bench
