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

// What a sweep remembers between its rounds: before `log_from` no entry of the log belongs to an
// item that the container's default decides about, whatever the default is.
struct SweepPosition {
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
