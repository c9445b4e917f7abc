// Errors shared by several operations, worded as in the service.

#pragma once

#include <string>

#include "base/result.h"
#include "throughput/budget.h"

namespace orrery::service {

// The resource itself is missing.
Error not_found();
// A read finds no item.
Error item_not_found();
// The parent resource is missing (404/1003): SDKs then drop their cached copy of it.
Error owner_not_found();
// A query needs several partitions, and its request does not allow that.
Error cross_partition_disabled();
// The request units are used up (429/3200), or those of a bucket (429/3212).
Error throttled(const throughput::Budget::Refusal& refusal);
Error bad_request(std::string message, std::uint32_t sub_status = 0);
// An unsupported feature, by name.
Error not_implemented(const std::string& feature);

}  // namespace orrery::service
