// A container's indexing policy: checked, completed with Cosmos DB's defaults, and shown to clients
// in the form of their API version.

#pragma once

#include <cstdint>

#include "base/result.h"
#include "json/value.h"

namespace orrery::model {

enum class PolicyForm : std::uint8_t {
    kCurrent,
    // Up to API 2017-11-15: lazy indexing, items indexed only on request, and index kinds per path.
    // None of it changes the result of a query.
    kLegacy,
};

// Takes the policy a client sent (null pointer: none) and returns the one to store. Unsupported
// parts are refused by name. Completing a stored policy in the legacy form does not change it.
Result<json::Value> complete_indexing_policy(const json::Value* given, PolicyForm form);

// A stored policy as clients see it. The index also follows the current form.
json::Value indexing_policy_in(PolicyForm form, const json::Value& stored);

}  // namespace orrery::model
