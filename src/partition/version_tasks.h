// Removes versions and removals that are older than the container keeps them for change feeds.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "partition/partition.h"

namespace orrery::partition {

// Whether there are any from before that time (Unix seconds); without a time, any versions at all.
Result<bool> has_old_versions(const Partition& partition, std::optional<std::int64_t> before);

// Removes some of them. Calls `done` with whether there may be more; false if that failed.
std::unique_ptr<WriteTask> make_trim_task(std::optional<std::int64_t> before,
                                          std::function<void(bool)> done);

}  // namespace orrery::partition
