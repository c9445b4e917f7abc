// Dispatches a request to its handler: one table, by resource and verb.

#pragma once

#include <optional>

#include "auth/action.h"
#include "gateway/backend.h"
#include "gateway/call.h"

namespace orrery::gateway {

// Runs the handler on this thread or in the lane for its kind of work. Always answers: 405 for an
// unknown combination, 501 for a missing feature, 429 if too many requests wait in the lane.
void dispatch(const Backend& backend, const CallPtr& call);

// What a credential must allow for this request to be carried out; nullopt for an unknown
// combination of resource and verb.
std::optional<auth::Action> action_of(const Call& call);

// Whether to run the call again instead of answering with this error: because it may not block
// where it ran, or because its partition has moved. Handlers ask this for every error of an
// operation on a partition; if it returns true, the call is no longer theirs.
bool run_again(const Backend& backend, const CallPtr& call, const Error& error);

}  // namespace orrery::gateway
