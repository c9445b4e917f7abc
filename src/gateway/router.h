// Dispatches a request to its handler: one table, by resource and verb.

#pragma once

#include "gateway/backend.h"
#include "gateway/call.h"

namespace orrery::gateway {

// Sets the call's route, action and is_query by its path, verb and headers. Before dispatch().
void find_route(Call& call);

// Runs the handler on this thread or in the lane for its kind of work. Always answers: 405 for an
// unknown combination, 501 for a missing feature, 429 if too many requests wait in the lane.
void dispatch(const Backend& backend, const CallPtr& call);

// Whether to run the call again instead of answering with this error: because it may not block
// where it ran, or because its partition has moved. Handlers ask this for every error of an
// operation on a partition; if it returns true, the call is no longer theirs.
bool run_again(const Backend& backend, const CallPtr& call, const Error& error);

}  // namespace orrery::gateway
