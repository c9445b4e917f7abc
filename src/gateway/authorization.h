// Whether the sender of a request may do what its head says.

#pragma once

#include "base/result.h"
#include "gateway/backend.h"
#include "gateway/call.h"

namespace orrery::gateway {

// After find_route() and once the principal and the request of the context are known.
Status authorize(const Backend& backend, const Call& call);

}  // namespace orrery::gateway
