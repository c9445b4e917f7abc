// Finds where to divide a partition so that both parts hold about as many bytes.

#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "partition/partition.h"

namespace orrery::partition {

// The first EPK of the second part. Nothing if all items have the same EPK, or there are none.
Result<std::optional<std::string>> split_point(const Partition& partition);

}  // namespace orrery::partition
