// Dispatches a request to its handler: one table, by resource and verb.

#pragma once

#include "gateway/backend.h"
#include "gateway/call.h"

namespace orrery::gateway {

// Runs the handler on this thread or, if it may block, on a worker. Always answers: 405 for an
// unknown combination, 501 for a missing feature.
void dispatch(const Backend& backend, const CallPtr& call);

}  // namespace orrery::gateway
