// The open partitions of this server. A partition is opened on first use and stays open until its
// container is removed.

#pragma once

#include <memory>
#include <shared_mutex>
#include <unordered_map>

#include "base/result.h"
#include "catalog/catalog.h"
#include "partition/partition.h"
#include "storage/engine.h"

namespace orrery::service {

class Partitions {
public:
    Partitions(storage::Engine& engine,
               catalog::Catalog& catalog,
               const partition::Partition::Environment& environment)
        : engine_(engine), catalog_(catalog), environment_(environment) {}

    // 404/1003 if the container has been removed.
    Result<std::shared_ptr<partition::Partition>> open(const catalog::Container& container,
                                                       std::size_t range_index);

    // The partition if it is open, else null.
    std::shared_ptr<partition::Partition> find(storage::PartitionId id) const;

    // Whether it was ever written to.
    Result<bool> is_written(storage::PartitionId id) const;

    // Drops the data of removed containers and their entries in the catalog's drop list. Call after
    // a removal and at startup; safe to repeat, not thread-safe. Blocks until the partitions are no
    // longer in use.
    Status drop_removed();

private:
    storage::Engine& engine_;
    catalog::Catalog& catalog_;
    const partition::Partition::Environment environment_;
    mutable std::shared_mutex mutex_;
    std::unordered_map<storage::PartitionId, std::shared_ptr<partition::Partition>> open_;
};

}  // namespace orrery::service
