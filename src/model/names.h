// Rules for the ids of databases, containers and items.

#pragma once

#include <string_view>

#include "base/result.h"

namespace orrery::model {

// Databases and containers: 1 to 255 characters, none of / \ # ?, no space at the end.
Status check_resource_name(std::string_view name);

// Items: 1 to 1023 bytes, no backslash. '/', '?' and '#' are accepted, as in the service; such
// items may not be reachable by name (behaviour of CosmosItemIdEncodingTests).
Status check_item_id(std::string_view id);

}  // namespace orrery::model
