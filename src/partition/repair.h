// Makes everything in a partition that follows from its items agree with them again: id, member,
// log, expiry and unique-key entries, sizes of partition keys, counters, the log of attachments,
// and the index. Nothing else can be repaired: a damaged item, attachment or medium needs a backup.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/path_policy.h"
#include "partition/item_index.h"
#include "storage/engine.h"

namespace orrery::partition {

struct RepairRules {
    std::uint32_t range_id = 0;  // of the partition's range in the catalog
    // The container's policy, for a partition that does not know its own anymore.
    std::shared_ptr<const index::PathPolicy> policy;
    ComputedFactory computed = nullptr;
};

struct Repair {
    std::uint64_t entries_written = 0;
    std::uint64_t entries_removed = 0;
    bool index_rebuilt = false;
    bool counters_corrected = false;
    // What is worth telling: items of which only traces were left.
    std::vector<std::string> remarks;
};

// Nothing else may use the store. Can be repeated if it was interrupted.
Result<Repair> repair(storage::PartitionStore& store, const RepairRules& rules);

}  // namespace orrery::partition
