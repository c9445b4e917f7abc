// The status codes of HTTP that errors have, for clients and for scripts.

#pragma once

#include "base/result.h"

namespace orrery {

unsigned http_status(ErrorCode code);

}  // namespace orrery
