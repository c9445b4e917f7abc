// Builds the index of a partition anew. Part of repair().

#pragma once

#include <memory>

#include "base/result.h"
#include "index/path_policy.h"
#include "partition/item_index.h"
#include "storage/engine.h"

namespace orrery::partition {

// Whether every item has its index entries, and no others are there.
Result<bool> index_is_sound(const storage::PartitionStore& store, const ComputedFactory& computed);

// With the policy that the partition has adopted last, or with this one if that is not readable.
Status rebuild_index(storage::PartitionStore& store,
                     const std::shared_ptr<const index::PathPolicy>& policy,
                     const ComputedFactory& computed);

}  // namespace orrery::partition
