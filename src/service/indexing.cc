#include "service/indexing.h"

#include <algorithm>
#include <vector>

#include "base/log.h"
#include "base/wait_for.h"
#include "index/path_policy.h"
#include "partition/index_tasks.h"

namespace orrery::service {

namespace {

// Consecutive steps in one partition before other partitions and background work get their turn.
constexpr int kStepsInARow = 8;

bool run_and_wait(
    partition::Partition& partition,
    const std::function<std::unique_ptr<partition::WriteTask>(std::function<void(bool)>)>& make) {
    return wait_for<bool>([&](auto done) { partition.submit(make(std::move(done))); });
}

}  // namespace

void Indexing::adopt(model::ContainerRid rid) {
    const std::lock_guard lock(adopting_);
    if (const catalog::ContainerPtr container = catalog_.find_container(rid)) adopt_in(*container);
}

void Indexing::adopt_in(const catalog::Container& container) {
    for (std::size_t i = 0; i < container.ranges.size(); ++i) {
        const Status adopted = adopt_in(container, i);
        const bool others_do = !adopted && adopted.error().code() == ErrorCode::kElsewhere;
        if (adopted || others_do || adopted.error().code() == ErrorCode::kNotFound) continue;
        log::warn("index_change_failed", {{"reason", adopted.error().message()}});
    }
}

Status Indexing::adopt_in(const catalog::Container& container, std::size_t range) {
    std::uint64_t& adopted = adopted_[container.ranges[range].partition];
    if (adopted == container.revision.version) return {};
    // A partition neither open nor written to gets the current policy when it is first opened.
    const storage::PartitionId id = container.ranges[range].partition;
    if (!partitions_.find(id) && !TRY(partitions_.is_written(id))) {
        adopted = container.revision.version;
        return {};
    }
    const auto policy = TRY(
        index::PathPolicy::compile(container.definition, container.definition.computed_properties));
    const auto partition = TRY(partitions_.open(container, range));
    if (partition->index_view()->wanted->text() == policy->text() ||
        run_and_wait(*partition, [&](std::function<void(bool)> then) {
            return partition::make_adopt_task(policy, std::move(then));
        })) {
        adopted = container.revision.version;
    }
    return {};
}

Result<int> Indexing::progress(const catalog::Container& container) {
    std::uint64_t built = 0;
    std::uint64_t total = 0;
    bool done = true;
    for (const RangeReport& report : TRY(reports_.of(container))) {
        built += report.items_indexed;
        total += report.items_to_index;
        done = done && report.index_built;
    }
    constexpr int kAll = 100;
    if (done) return kAll;
    return total == 0 ? 0
                      : static_cast<int>(std::min<std::uint64_t>(built * kAll / total, kAll - 1));
}

bool Indexing::advance() {
    bool more = false;
    const std::vector<catalog::ContainerPtr> containers = catalog_.all_containers();
    for (const catalog::ContainerPtr& container : containers) {
        {
            const std::lock_guard lock(adopting_);
            adopt_in(*container);
        }
        for (const catalog::PartitionRange& range : container->ranges) {
            more = advance(range) || more;
        }
    }
    forget_removed(containers);
    return more;
}

bool Indexing::advance(const catalog::PartitionRange& range) {
    const auto partition = partitions_.find(range.partition);
    if (!partition) return false;
    for (int step = 0; step < kStepsInARow && partition->index_view()->work_left; ++step) {
        // If the store rejects writes, retry at the next interval.
        if (!run_and_wait(*partition, partition::make_advance_task)) return false;
    }
    return partition->index_view()->work_left;
}

void Indexing::forget_removed(const std::vector<catalog::ContainerPtr>& containers) {
    const std::lock_guard lock(adopting_);
    std::unordered_map<storage::PartitionId, std::uint64_t> kept;
    for (const catalog::ContainerPtr& container : containers) {
        for (const catalog::PartitionRange& range : container->ranges) {
            kept[range.partition] = adopted_[range.partition];
        }
    }
    adopted_ = std::move(kept);
}

}  // namespace orrery::service
