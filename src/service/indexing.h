// Keeps the indexes of containers in step with their indexing policies: partitions take a changed
// policy over, build for it in small steps in the background, and then use it.

#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "service/partitions.h"

namespace orrery::service {

class Indexing {
public:
    Indexing(catalog::Catalog& catalog, Partitions& partitions)
        : catalog_(catalog), partitions_(partitions) {}

    // After a container was replaced: its partitions start to build for the policy it has now. It
    // blocks until that is on disk. What fails is tried again in the background.
    void adopt(model::ContainerRid container);

    // How much of a container is indexed by the policy it has now, in percent.
    Result<int> progress(const catalog::Container& container);

    // One round over all containers: a few steps for every partition that has work left. Says
    // whether there is more. Not from two threads at once.
    bool advance();

private:
    // Partition by partition; those that have taken it over already are left alone.
    void adopt_in(const catalog::Container& container);
    Status adopt_in(const catalog::Container& container, std::size_t range);
    bool advance(const catalog::PartitionRange& range);
    void forget_removed(const std::vector<catalog::ContainerPtr>& containers);

    catalog::Catalog& catalog_;
    Partitions& partitions_;
    // One at a time, so that of two replaces the later one is what stays.
    std::mutex adopting_;
    // Of each partition the revision of its container whose policy it has taken over.
    std::unordered_map<storage::PartitionId, std::uint64_t> adopted_;
};

}  // namespace orrery::service
