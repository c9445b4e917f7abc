// Checks that everything a partition stores about its items is consistent: each item has its id,
// log, expiry, unique and index entries, and no entry lacks its item. For `orrery inspect` and
// crash tests.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "partition/item_index.h"
#include "storage/engine.h"

namespace orrery::partition {

struct Verification {
    std::uint64_t items = 0;
    std::vector<std::string> problems;  // empty if the partition is consistent
};

// `computed` is the partition's; it may be empty if no container has computed properties.
Result<Verification> verify(const storage::PartitionStore& store,
                            const ComputedFactory& computed = nullptr);

}  // namespace orrery::partition
