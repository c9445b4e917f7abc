// The refusals that several operations share, in the service's words.

#pragma once

#include <string>

#include "base/result.h"

namespace orrery::service {

// The resource itself is missing.
Error not_found();
// What it would live in is missing (404/1003): SDKs then drop what they remember of it.
Error owner_not_found();
Error bad_request(std::string message, std::uint32_t sub_status = 0);
// A feature this server does not have, by name.
Error not_implemented(const std::string& feature);

}  // namespace orrery::service
