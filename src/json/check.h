// Whether a text is JSON, for those who need to know no more.

#pragma once

#include <string_view>

#include "base/result.h"

namespace orrery::json {

// As strict as scan.h, its bound on depth included.
Status check(std::string_view text);

}  // namespace orrery::json
