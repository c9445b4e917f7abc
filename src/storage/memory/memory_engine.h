// The engine without a medium: the model that other engines are compared with, and the one that
// unit tests above the seam run on. Data lives as long as the engine, not as long as the handles.

#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "storage/engine.h"

namespace orrery::storage {

class MemoryPartition;

class MemoryEngine final : public Engine {
public:
    Result<std::shared_ptr<PartitionStore>> open(PartitionId id) override;
    Status drop(PartitionId id) override;
    // The bytes of all keys and values, with what snapshots keep alive.
    std::uint64_t size_on_disk() const override;

    // From now on another node owns the partition: its commits answer kFenced, reads go on.
    void fence(PartitionId id);

private:
    std::shared_ptr<MemoryPartition> partition(PartitionId id);

    mutable std::mutex mutex_;
    std::map<PartitionId, std::shared_ptr<MemoryPartition>> partitions_;
};

}  // namespace orrery::storage
