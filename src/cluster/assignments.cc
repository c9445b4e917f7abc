#include "cluster/assignments.h"

#include <map>
#include <mutex>
#include <optional>

#include "cluster/shared_edit.h"

namespace orrery::cluster {

namespace {

// The elements by shard, and the shards.
template <typename T, typename Partition>
class ByShard {
public:
    ByShard(std::span<const T> all, Partition partition) {
        for (const T& one : all)
            groups_[shard_of(partition(one))].push_back(&one);
        for (const auto& [shard, group] : groups_)
            shards_.push_back(shard);
    }
    const std::vector<std::size_t>& shards() const { return shards_; }
    const std::vector<const T*>& of(std::size_t shard) const { return groups_.at(shard); }

private:
    std::map<std::size_t, std::vector<const T*>> groups_;
    std::vector<std::size_t> shards_;
};

PartitionId itself(PartitionId partition) { return partition; }

}  // namespace

Status Assignments::add(std::span<const AssignmentEntry> entries) {
    const ByShard groups(entries, [](const AssignmentEntry& entry) { return entry.partition; });
    return edit_shards(groups.shards(), [&](std::size_t shard, ShardRecord& record) {
        bool changed = false;
        for (const AssignmentEntry* const entry : groups.of(shard)) {
            if (record.find(entry->partition) != nullptr) continue;
            record.add(*entry);
            changed = true;
        }
        return Result<bool>(changed);
    });
}

Status Assignments::remove(std::span<const PartitionId> partitions) {
    const ByShard groups(partitions, itself);
    return edit_shards(groups.shards(), [&](std::size_t shard, ShardRecord& record) {
        const std::size_t before = record.entries.size();
        for (const PartitionId* const partition : groups.of(shard))
            record.remove(*partition);
        return Result<bool>(record.entries.size() < before);
    });
}

Status Assignments::hand_over(std::string_view node, std::span<const PartitionId> partitions) {
    const ByShard groups(partitions, itself);
    return edit_shards(groups.shards(), [&](std::size_t shard, ShardRecord& record) {
        bool changed = false;
        for (const PartitionId* const partition : groups.of(shard)) {
            AssignmentEntry* const entry = record.find(*partition);
            if (entry == nullptr || entry->node != node || entry->next.empty()) continue;
            entry->node = std::exchange(entry->next, {});
            changed = true;
        }
        return Result<bool>(changed);
    });
}

Status Assignments::change(std::uint64_t term, std::span<const Change> changes) {
    const ByShard groups(changes, [](const Change& change) { return change.before.partition; });
    return edit_shards(groups.shards(),
                       [&](std::size_t shard, ShardRecord& record) -> Result<bool> {
                           if (record.term > term) return deposed();
                           bool changed = false;
                           for (const Change* const change : groups.of(shard)) {
                               AssignmentEntry* const entry = record.find(change->before.partition);
                               if (entry == nullptr || *entry != change->before) continue;
                               *entry = change->after;
                               changed = true;
                           }
                           record.term = term;
                           return changed;
                       });
}

Status Assignments::claim(std::uint64_t term, std::span<const std::size_t> shards) {
    return edit_shards(shards, [&](std::size_t, ShardRecord& record) -> Result<bool> {
        if (record.term > term) return deposed();
        return std::exchange(record.term, term) < term;
    });
}

Status Assignments::edit_shard(std::size_t shard, const Edit& edit_record) {
    const auto edited = edit<ShardRecord>(
        objects_,
        ShardRecord::name(shard),
        counts_,
        [&](int attempt) -> Result<KnownShard> {
            // What is known is usually the newest; the write finds out.
            if (attempt > 0) return mirror_.read(shard);
            auto known = mirror_.known(shard);
            if (!known) return mirror_.read(shard);
            known->may_be_outdated = true;
            return *std::move(known);
        },
        [&](ShardRecord& record) -> Result<bool> {
            if (!TRY(edit_record(record))) return false;
            ++record.sequence;
            return true;
        });
    if (!edited) return edited.error().copy();
    mirror_.apply_own(shard, *edited);
    return {};
}

Status Assignments::edit_shards(
    std::span<const std::size_t> shards,
    const std::function<Result<bool>(std::size_t, ShardRecord&)>& edit_record) {
    std::mutex mutex;
    std::optional<Error> failure;
    parallel_.run(shards.size(), [&](std::size_t i) {
        const std::size_t shard = shards[i];
        const Status edited =
            edit_shard(shard, [&](ShardRecord& record) { return edit_record(shard, record); });
        const std::lock_guard lock(mutex);
        if (!edited && !failure) failure = edited.error().copy();
    });
    if (failure) return *std::move(failure);
    return {};
}

}  // namespace orrery::cluster
