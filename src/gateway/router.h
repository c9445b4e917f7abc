// Which handler answers a request: one table, by resource and verb.

#pragma once

#include "gateway/backend.h"
#include "gateway/call.h"

namespace orrery::gateway {

// Runs the handler on this thread or, when it may block, on a worker. Always answers: an unknown
// combination with 405, a feature that is not there with 501.
void dispatch(const Backend& backend, const CallPtr& call);

}  // namespace orrery::gateway
