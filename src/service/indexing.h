// Keeps indexes in step with the containers' indexing policies: partitions adopt a changed policy,
// build its index in small background steps, then use it.

#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "service/partitions.h"
#include "service/range_report.h"

namespace orrery::service {

class Indexing {
public:
    Indexing(catalog::Catalog& catalog, Partitions& partitions, Placement* placement = nullptr)
        : catalog_(catalog), partitions_(partitions), reports_(partitions, placement) {}

    // Call after replacing a container: its partitions start building for the current policy.
    // Blocks until that is on disk. Failures are retried in the background.
    void adopt(model::ContainerRid container);

    // How much of a container is indexed under its current policy, in percent.
    Result<int> progress(const catalog::Container& container);

    // One round over all containers: a few steps per partition with work left. Returns whether more
    // remains. Not thread-safe.
    bool advance();

private:
    // Skips partitions that have already adopted the policy.
    void adopt_in(const catalog::Container& container);
    Status adopt_in(const catalog::Container& container, std::size_t range);
    bool advance(const catalog::PartitionRange& range);
    void forget_removed(const std::vector<catalog::ContainerPtr>& containers);

    catalog::Catalog& catalog_;
    Partitions& partitions_;
    const RangeReports reports_;
    // One adoption at a time, so that the later of two replaces wins.
    std::mutex adopting_;
    // Per partition: the container revision whose policy it has adopted.
    std::unordered_map<storage::PartitionId, std::uint64_t> adopted_;
};

}  // namespace orrery::service
