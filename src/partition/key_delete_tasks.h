// Removes the items of a deleted partition key in steps.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "partition/partition.h"

namespace orrery::partition {

// The position of one delete's removal; not kept across restarts.
struct KeySweepPosition {
    Lsn lsn = 0;  // of the delete
    Docnum from = 0;
};

// Removes the next items of the key and advances `position`, which must live until the task is
// done; `done` receives whether it succeeded. The last step ends the delete.
std::unique_ptr<WriteTask> make_key_sweep_task(std::string partition_key,
                                               KeySweepPosition& position,
                                               std::function<void(bool)> done);

}  // namespace orrery::partition
