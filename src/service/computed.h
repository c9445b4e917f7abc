// Computed properties of containers: validates their definitions and evaluates them for the index.

#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "index/computed_properties.h"
#include "index/path_policy.h"
#include "model/container_definition.h"
#include "sql/binder.h"

namespace orrery::service {

// kBadRequest if a definition is anything but SELECT VALUE of an expression over the item.
Result<std::vector<sql::ComputedProperty>> parse_computed(
    const std::vector<model::ComputedProperty>& properties);

// The definitions in `policy` must have been checked before. The result is thread-safe.
std::shared_ptr<const index::ComputedProperties> make_computed(const index::PathPolicy& policy);

}  // namespace orrery::service
