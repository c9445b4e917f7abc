#include "service/partitions.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include "index/path_policy.h"
#include "service/errors.h"

namespace orrery::service {

namespace {

Error range_gone() {
    constexpr std::uint32_t kPartitionKeyRangeGone = 1002;
    return Error(ErrorCode::kGone, "The partition key range is gone.", kPartitionKeyRangeGone);
}

bool has_partition(const catalog::Container& container, storage::PartitionId id) {
    return std::any_of(container.ranges.begin(),
                       container.ranges.end(),
                       [&](const catalog::PartitionRange& range) { return range.partition == id; });
}

}  // namespace

Partitions::~Partitions() {
    // A commit in progress goes on in the executors, which are destroyed next.
    for (const auto& [id, partition] : open_) {
        if (partition) partition->close();
    }
}

Result<std::shared_ptr<partition::Partition>> Partitions::open(const catalog::Container& container,
                                                               std::size_t range_index,
                                                               const Allowance& allowance) {
    if (allowance.request_units <= 0) return throttled();
    const catalog::PartitionRange& range = container.ranges[range_index];
    if (auto found = find(range.partition); found && !found->is_closed()) {
        found->mark_used();
        return found;
    }
    if (!allowance.may_block) return Error(ErrorCode::kWouldBlock, "the partition is not open");
    const std::unique_lock lock(mutex_);
    // A request may still hold an old version of the container, and a partition that is gone must
    // not be reopened. Removal updates the catalog before this map, so checking in this order is
    // safe.
    const catalog::ContainerPtr newest = catalog_.find_container(container.rid);
    if (!newest) return owner_not_found();
    if (!has_partition(*newest, range.partition)) return range_gone();
    std::shared_ptr<partition::Partition>& slot = open_[range.partition];
    if (slot && slot->is_closed()) {
        slot->close();  // ends its last writes: a partition has one writer at a time
        slot.reset();
    }
    if (!slot) slot = TRY(open_store(*newest, range));
    return slot;
}

Result<std::shared_ptr<partition::Partition>> Partitions::open_store(
    const catalog::Container& container, const catalog::PartitionRange& range) {
    const auto policy = TRY(
        index::PathPolicy::compile(container.definition, container.definition.computed_properties));
    auto store = TRY(engine_.open(range.partition));
    return partition::Partition::open(
        {.container = container.rid, .range_id = range.id, .storage_id = range.partition},
        std::move(store),
        environment_,
        policy);
}

void Partitions::close_unused() {
    const std::unique_lock lock(mutex_);
    std::erase_if(open_, [](const auto& entry) {
        const auto& partition = entry.second;
        // Nobody can start to use it meanwhile: that takes the lock. Background work is found
        // through open partitions.
        return partition && !partition->take_used() && partition.use_count() == 1 &&
               partition->is_idle() && !partition->deletes() && !partition->index_view()->work_left;
    });
}

std::size_t Partitions::open_count() const {
    const std::shared_lock lock(mutex_);
    return open_.size();
}

std::shared_ptr<partition::Partition> Partitions::find(storage::PartitionId id) const {
    const std::shared_lock lock(mutex_);
    const auto found = open_.find(id);
    return found == open_.end() ? nullptr : found->second;
}

Result<bool> Partitions::is_written(storage::PartitionId id) const {
    const auto store = TRY(engine_.open(id));
    std::string value;
    return store->get(partition::state_key(), value);
}

Status Partitions::drop_removed() {
    for (const storage::PartitionId id : catalog_.partitions_to_drop()) {
        std::weak_ptr<partition::Partition> in_use;
        if (const auto partition = find(id)) {
            partition->close();
            in_use = partition;
        }
        {
            const std::unique_lock lock(mutex_);
            open_.erase(id);
        }
        constexpr auto kPause = std::chrono::milliseconds(1);
        while (!in_use.expired()) {
            std::this_thread::sleep_for(kPause);
        }
        TRY(engine_.drop(id));
        TRY(catalog_.forget_dropped(id));
    }
    return {};
}

}  // namespace orrery::service
