// A container's indexing policy: checked, and completed with Cosmos DB's defaults.

#pragma once

#include "base/result.h"
#include "json/value.h"

namespace orrery::model {

// Takes the policy a client sent (null pointer: none) and returns the one that is stored and sent
// back. A part whose effect does not exist is refused by name.
Result<json::Value> complete_indexing_policy(const json::Value* given);

}  // namespace orrery::model
