// Control-plane resources as clients see them.

#pragma once

#include "catalog/resources.h"
#include "json/value.h"
#include "service/request.h"

namespace orrery::service {

// The form of indexing policies for clients of that version.
model::PolicyForm policy_form_of(ApiVersion version);

json::Value to_json(const catalog::Database& database);
// Clients older than 2018-12-31 do not see the key of a container created without one.
json::Value to_json(const catalog::Container& container, ApiVersion version);
json::Value to_json(const catalog::Offer& offer);
json::Value to_json(const catalog::Script& script);
json::Value to_json(const catalog::Container& container, const catalog::PartitionRange& range);

}  // namespace orrery::service
