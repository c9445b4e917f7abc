#include "service/partitions.h"

#include <chrono>
#include <mutex>
#include <thread>

#include "index/path_policy.h"
#include "service/errors.h"

namespace orrery::service {

Result<std::shared_ptr<partition::Partition>> Partitions::open(const catalog::Container& container,
                                                               std::size_t range_index) {
    const catalog::PartitionRange& range = container.ranges[range_index];
    if (auto found = find(range.partition)) return found;
    const std::unique_lock lock(mutex_);
    // A request may still hold a removed container, whose partition must not be reopened. Removal
    // updates the catalog before this map, so checking in this order is safe.
    const catalog::ContainerPtr newest = catalog_.find_container(container.rid);
    if (!newest) return owner_not_found();
    std::shared_ptr<partition::Partition>& slot = open_[range.partition];
    if (!slot) {
        // Compile the newest policy: `container` may have been replaced, and nothing would update
        // it.
        const auto policy = TRY(
            index::PathPolicy::compile(newest->definition, newest->definition.computed_properties));
        auto store = TRY(engine_.open(range.partition));
        slot = TRY(partition::Partition::open(
            {.container = container.rid, .range_id = range.id, .storage_id = range.partition},
            std::move(store),
            environment_,
            policy));
    }
    return slot;
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
