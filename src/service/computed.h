// Computed properties of containers: their definitions checked, and evaluated for the index.

#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "index/computed_properties.h"
#include "index/path_policy.h"
#include "model/container_definition.h"
#include "sql/binder.h"

namespace orrery::service {

// kBadRequest when a definition is more than SELECT VALUE of an expression on the item.
Result<std::vector<sql::ComputedProperty>> parse_computed(
    const std::vector<model::ComputedProperty>& properties);

// For a policy whose definitions have been checked before. May be asked from any thread.
std::shared_ptr<const index::ComputedProperties> make_computed(const index::PathPolicy& policy);

}  // namespace orrery::service
