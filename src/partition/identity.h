// Identifies a partition. The items in it have an identity of their own, which does not depend on
// it: they keep etag, number and rid when they are moved to another partition.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/resource_id.h"
#include "storage/engine.h"

namespace orrery::partition {

struct Identity {
    model::ContainerRid container;
    std::uint32_t range_id = 0;               // the partition key range that clients see
    std::vector<std::uint32_t> parents = {};  // ranges that held the same keys before
    storage::PartitionId storage_id = 0;
    // In the etags of records that do not name their own origin (item_record.h). Nothing means
    // storage_id.
    std::optional<storage::PartitionId> etag_origin = std::nullopt;
};

}  // namespace orrery::partition
