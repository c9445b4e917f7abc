// The HTTP status codes of errors, for clients and for scripts.

#pragma once

#include "base/result.h"

namespace orrery {

unsigned http_status(ErrorCode code);

}  // namespace orrery
