// Identifies a partition; never changes.

#pragma once

#include <cstdint>

#include "model/resource_id.h"
#include "storage/engine.h"

namespace orrery::partition {

struct Identity {
    model::ContainerRid container;
    std::uint32_t range_id = 0;  // the partition key range that clients see
    storage::PartitionId storage_id = 0;
};

}  // namespace orrery::partition
