// What the id of a database, a container or an item may look like.

#pragma once

#include <string_view>

#include "base/result.h"

namespace orrery::model {

// Databases and containers: 1 to 255 characters, none of / \ # ?, no space at the end.
Status check_resource_name(std::string_view name);

// Items: 1 to 1023 bytes, no backslash. '/', '?' and '#' are let through as the service does; such
// items may not be reachable by name (behaviour of CosmosItemIdEncodingTests).
Status check_item_id(std::string_view id);

}  // namespace orrery::model
