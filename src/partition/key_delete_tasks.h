// The steps in which the items of a deleted partition key are removed.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "partition/partition.h"

namespace orrery::partition {

// How far the removal of one delete has come; forgotten at a restart.
struct KeySweepPosition {
    Lsn lsn = 0;  // of the delete
    Docnum from = 0;
};

// Removes the next items of the key and moves `position` on, which must live until the task is
// done; then says whether it could. After the last the delete is over.
std::unique_ptr<WriteTask> make_key_sweep_task(std::string partition_key,
                                               KeySweepPosition& position,
                                               std::function<void(bool)> done);

}  // namespace orrery::partition
