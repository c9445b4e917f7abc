// Who a partition is; fixed for its life.

#pragma once

#include <cstdint>

#include "model/resource_id.h"
#include "storage/engine.h"

namespace orrery::partition {

struct Identity {
    model::ContainerRid container;
    std::uint32_t range_id = 0;  // the partition key range clients see
    storage::PartitionId storage_id = 0;
};

}  // namespace orrery::partition
