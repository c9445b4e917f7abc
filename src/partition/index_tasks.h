// Writes that change a partition's whole index: adopting a policy, and the small steps of building
// an index and removing an old one.

#pragma once

#include <functional>
#include <memory>

#include "index/path_policy.h"
#include "partition/partition.h"

namespace orrery::partition {

// Starts building for this policy; `done` receives whether that is on disk.
std::unique_ptr<WriteTask> make_adopt_task(std::shared_ptr<const index::PathPolicy> policy,
                                           std::function<void(bool)> done);

// One step (ItemIndex::advance); `done` receives whether it succeeded. The partition's index_view()
// says whether more is left.
std::unique_ptr<WriteTask> make_advance_task(std::function<void(bool)> done);

}  // namespace orrery::partition
