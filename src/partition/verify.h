// Checks that everything a partition stores about its items fits together: each item with its id,
// log, expiry, unique and index entries, and no entry without its item. For `orrery inspect` and
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
    std::vector<std::string> problems;  // empty when all is well
};

// `computed` as the partition has it; it may be empty where no container has computed properties.
Result<Verification> verify(const storage::PartitionStore& store,
                            const ComputedFactory& computed = nullptr);

}  // namespace orrery::partition
