// The in-memory engine: the reference for other engines, and the one that unit tests of other
// modules use. Data lives as long as the engine, independent of handles.

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
    // The bytes of all keys and values, including versions kept for snapshots.
    std::uint64_t size_on_disk() const override;
    EngineStats stats() const override { return {}; }

    // From now on another node owns the partition: commits return kFenced, reads still work.
    void fence(PartitionId id);

private:
    std::shared_ptr<MemoryPartition> partition(PartitionId id);

    mutable std::mutex mutex_;
    std::map<PartitionId, std::shared_ptr<MemoryPartition>> partitions_;
};

}  // namespace orrery::storage
