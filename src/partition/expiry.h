// Finds the expired items of a partition, for removal in the background. Reads hide items from the
// moment they expire; removal only frees space.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "partition/partition.h"

namespace orrery::partition {

// The state of a sweep between rounds: no log entry before `log_from` belongs to an item subject to
// the container's default, whatever that default is.
struct SweepPosition {
    std::string log_from;
};

// Up to `limit` items that have expired under the container's default.
Result<std::vector<Docnum>> find_expired(const Partition& partition,
                                         std::int32_t default_ttl,
                                         std::size_t limit,
                                         SweepPosition& position);

// Removes those that are still expired when the write runs; `done` receives whether it succeeded.
std::unique_ptr<WriteTask> make_expire_task(std::vector<Docnum> items,
                                            std::int32_t default_ttl,
                                            std::function<void(bool)> done);

}  // namespace orrery::partition
