// Partition keys as users write them.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::tools {

// "a" and ["a",1], both as JSON → the form of requests, an array. kBadRequest for anything else.
Result<std::string> partition_key_argument(std::string_view text);

}  // namespace orrery::tools
