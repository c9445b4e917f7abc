// Finds the items of a partition that have expired, so that they can be removed in the background.
// Reads hide them from the moment they expire; removal only gives the space back.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "partition/partition.h"

namespace orrery::partition {

// What a sweep remembers between its rounds. Items governed by the container's default expire in
// the order of the log, so everything before `log_from` has been dealt with under this default.
struct SweepPosition {
    std::int32_t default_ttl = 0;
    std::string log_from;
};

// Up to `limit` items that have expired under the container's default.
Result<std::vector<Docnum>> find_expired(const Partition& partition,
                                         std::int32_t default_ttl,
                                         std::size_t limit,
                                         SweepPosition& position);

// Removes those that are still expired when the write runs; then says whether it could.
std::unique_ptr<WriteTask> make_expire_task(std::vector<Docnum> items,
                                            std::int32_t default_ttl,
                                            std::function<void(bool)> done);

}  // namespace orrery::partition
