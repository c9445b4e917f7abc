#include "service/partitions.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <vector>

#include "index/path_policy.h"
#include "partition/split_seal.h"
#include "service/errors.h"
#include "service/metering.h"

namespace orrery::service {

namespace {

Error range_gone() {
    constexpr std::uint32_t kPartitionKeyRangeGone = 1002;
    return Error(ErrorCode::kGone, "The partition key range is gone.", kPartitionKeyRangeGone);
}

bool has_partition(const catalog::ContainerPtr& container, storage::PartitionId id) {
    return container && std::any_of(container->ranges.begin(),
                                    container->ranges.end(),
                                    [&](const auto& range) { return range.partition == id; });
}

}  // namespace

class Partitions::Turn {
public:
    Turn(Partitions& partitions, storage::PartitionId id) : partitions_(partitions), id_(id) {
        std::unique_lock lock(partitions_.holding_);
        partitions_.turn_ended_.wait(lock, [&] { return partitions_.turns_.insert(id_).second; });
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
        {
            const std::lock_guard lock(partitions_.holding_);
            partitions_.turns_.erase(id_);
        }
        partitions_.turn_ended_.notify_all();
    }

private:
    Partitions& partitions_;
    const storage::PartitionId id_;
};

Partitions::~Partitions() {
    // A commit in progress goes on in the executors, which are destroyed next.
    for (const auto& [id, partition] : open_) {
        if (partition) partition->close();
    }
}

Result<std::shared_ptr<partition::Partition>> Partitions::open(const catalog::Container& container,
                                                               std::size_t range_index,
                                                               const Allowance& allowance) {
    const catalog::PartitionRange& range = container.ranges[range_index];
    if (auto found = find(range.partition); found && !found->is_closed()) {
        found->mark_used();
        TRY(check_budget(allowance, *found));
        return found;
    }
    TRY(expect_here(range.partition));
    if (!allowance.may_block) return Error(ErrorCode::kWouldBlock, "the partition is not open");
    auto opened = TRY(open_closed(container, range_index, allowance));
    TRY(check_budget(allowance, *opened));
    return opened;
}

// Without the lock of the map while the storage opens the partition: that may take long, and nobody
// else should wait for it.
Result<std::shared_ptr<partition::Partition>> Partitions::open_closed(
    const catalog::Container& container, std::size_t range_index, const Allowance& allowance) {
    const storage::PartitionId id = container.ranges[range_index].partition;
    std::optional<Turn> turn;
    do {
        turn.reset();
        TRY(wait_until_released(id, allowance));
        turn.emplace(*this, id);
    } while (is_held(id));
    if (auto found = find(id)) {
        if (!found->is_closed()) return found;
        found->close();  // ends its last writes: a partition has one writer at a time
        found.reset();
        forget(id);
    }
    // A request may still hold an old version of the container, and a partition that is gone must
    // not be reopened. Removal updates the catalog before it takes its turn to drop the partition,
    // so checking in this order is safe.
    const catalog::ContainerPtr newest = catalog_.find_container(container.rid);
    if (!newest) return owner_not_found();
    const auto range = std::find_if(newest->ranges.begin(),
                                    newest->ranges.end(),
                                    [&](const auto& one) { return one.partition == id; });
    if (range == newest->ranges.end()) return range_gone();
    auto opened = TRY(open_store(*newest, *range));
    // Opening it may have taught this node that others have taken over.
    if (!has_partition(catalog_.find_container(container.rid), id)) return range_gone();
    {
        const std::unique_lock lock(mutex_);
        open_[id] = opened;
    }
    // The definition may have changed while nobody could find the partition.
    adopt_retention(container.rid);
    return opened;
}

void Partitions::forget(storage::PartitionId id) {
    const std::unique_lock lock(mutex_);
    open_.erase(id);
}

Result<std::shared_ptr<partition::Partition>> Partitions::open_store(
    const catalog::Container& container, const catalog::PartitionRange& range) {
    const auto policy = TRY(
        index::PathPolicy::compile(container.definition, container.definition.computed_properties));
    auto store = TRY(engine_.open(range.partition));
    if (placement_ != nullptr) TRY(break_seal(*store));
    auto environment = environment_;
    // Containers without a partition key hold half as much as a key does: 10 GB and 20 GB.
    if (container.definition.partition_key.system_key) environment.key_bytes_max /= 2;
    auto partition = TRY(partition::Partition::open({.container = container.rid,
                                                     .range_id = range.id,
                                                     .parents = range.parents,
                                                     .storage_id = range.partition},
                                                    std::move(store),
                                                    environment,
                                                    policy,
                                                    budgets_.of(container, range)));
    partition->keep_versions(container.definition.version_retention_minutes > 0);
    return partition;
}

Status Partitions::seal(storage::PartitionId id,
                        const std::vector<storage::PartitionId>& successors) {
    if (placement_ == nullptr) return {};
    const auto store = TRY(engine_.open(id));
    storage::WriteBatch batch;
    batch.put(partition::seal_key(), partition::encode_seal(successors));
    return store->commit(batch);
}

Status Partitions::break_seal(storage::PartitionStore& store) {
    std::string seal;
    if (!TRY(store.get(partition::seal_key(), seal))) return {};
    TRY(placement_->cancel_split(TRY(partition::decode_seal(seal))));
    storage::WriteBatch batch;
    batch.remove(partition::seal_key());
    return store.commit(batch);
}

void Partitions::adopt_retention(model::ContainerRid rid) {
    const std::unique_lock lock(mutex_);
    const catalog::ContainerPtr container = catalog_.find_container(rid);
    if (!container) return;
    for (const catalog::PartitionRange& range : container->ranges) {
        const auto found = open_.find(range.partition);
        if (found == open_.end() || !found->second) continue;
        found->second->keep_versions(container->definition.version_retention_minutes > 0);
    }
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
    TRY(expect_here(id));
    const auto store = TRY(engine_.open(id));
    std::string value;
    return store->get(partition::state_key(), value);
}

Result<std::shared_ptr<partition::Partition>> Partitions::open_new(
    const catalog::Container& container, const catalog::PartitionRange& range) {
    return open_store(container, range);
}

void Partitions::adopt(const std::shared_ptr<partition::Partition>& partition) {
    const std::unique_lock lock(mutex_);
    open_[partition->identity().storage_id] = partition;
}

void Partitions::disown(const partition::Partition& partition) {
    const std::unique_lock lock(mutex_);
    const auto found = open_.find(partition.identity().storage_id);
    if (found != open_.end() && found->second.get() == &partition) open_.erase(found);
}

void Partitions::hold(storage::PartitionId id) {
    {
        const std::lock_guard lock(holding_);
        held_.insert(id);
    }
    const Turn turn(*this, id);  // whoever is opening it ends first
    if (const auto partition = find(id)) partition->close();
}

void Partitions::surrender(storage::PartitionId id) {
    const Turn turn(*this, id);
    const auto partition = find(id);
    if (!partition) return;
    partition->close();
    forget(id);
}

std::vector<storage::PartitionId> Partitions::open_ids() const {
    std::vector<storage::PartitionId> ids;
    const std::shared_lock lock(mutex_);
    for (const auto& [id, partition] : open_)
        ids.push_back(id);
    return ids;
}

bool Partitions::is_held(storage::PartitionId id) {
    const std::lock_guard lock(holding_);
    return held_.contains(id);
}

void Partitions::release(storage::PartitionId id) {
    {
        const std::lock_guard lock(holding_);
        held_.erase(id);
    }
    released_.notify_all();
}

Status Partitions::wait_until_released(storage::PartitionId id, const Allowance& allowance) {
    std::unique_lock lock(holding_);
    if (!held_.contains(id)) return {};
    if (!allowance.may_block) return Error(ErrorCode::kWouldBlock, "the partition is held");
    constexpr auto kPatience = std::chrono::seconds(10);
    if (released_.wait_for(lock, kPatience, [&] { return !held_.contains(id); })) return {};
    return Error(ErrorCode::kUnavailable, "The partition is being replaced; retry later.");
}

Result<bool> Partitions::drop_removed() {
    // Only the node that has the catalog may: others would drop what is being filled.
    TRY(expect_here(storage::kCatalogPartition));
    bool some_in_use = false;
    for (const storage::PartitionId id : catalog_.partitions_to_drop()) {
        const Turn turn(*this, id);
        if (const auto partition = find(id)) partition->close();
        {
            const std::unique_lock lock(mutex_);
            const auto found = open_.find(id);
            if (found != open_.end() && found->second.use_count() > 1) {
                some_in_use = true;
                continue;
            }
            if (found != open_.end()) open_.erase(found);
        }
        Status dropped = engine_.drop(id);
        if (!dropped && dropped.error().code() == ErrorCode::kPreconditionFailed) {
            some_in_use = true;  // by a node that has not learned yet that it is gone
            continue;
        }
        TRY(std::move(dropped));
        TRY(catalog_.forget_dropped(id));
    }
    return some_in_use;
}

}  // namespace orrery::service
