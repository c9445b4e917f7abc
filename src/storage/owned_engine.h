// An engine on a medium that many nodes share: a partition can be used by the node that owns it,
// and by no other. The owner's name is that of the engine: node and incarnation, never used again.
//
// A new owner takes over at once: from then on the earlier one cannot change a byte; its commits
// fail with kFenced, for ever. It can still read what it has in memory. To decide when a node may
// no longer answer, and when an owner is dead, is for the caller: see SharedObjects.
//
// Beside the errors of Engine, a commit can fail with kTimeout: the partition was taken over, or
// the engine closed, before the outcome of the commit was known. It may have been applied.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "storage/engine.h"

namespace orrery::storage {

class OwnedEngine : public Engine {
public:
    // The destructor releases all partitions.
    struct Owner {
        std::string name;         // empty: released
        std::uint64_t epoch = 0;  // rises with every change of the owner, and at other times
    };

    // Makes this engine the owner and opens the partition, which is created if it does not exist.
    // Fails with kPreconditionFailed, and the owner's name in info(), if it belongs to another than
    // `replacing`. If it is owned already, it just returns the store.
    virtual Result<std::shared_ptr<PartitionStore>> acquire(PartitionId id,
                                                            const std::string& replacing) = 0;

    // The same without replacing anybody; kFenced if the partition belongs to another.
    Result<std::shared_ptr<PartitionStore>> open(PartitionId id) override = 0;

    // Makes release() and the next acquire() fast: writes what is only in the log to a file, in the
    // background, while commits go on.
    virtual void prepare_release(PartitionId id) = 0;

    // Gives the partition up. Commits that have not started fail with kFenced. Succeeds if this
    // engine does not own it.
    virtual Status release(PartitionId id) = 0;

    // As the medium has it; nothing if there is no such partition.
    virtual Result<std::optional<Owner>> owner_of(PartitionId id) = 0;
};

}  // namespace orrery::storage
