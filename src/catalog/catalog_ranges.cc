// The part of the catalog that changes which partitions hold a container.

#include <algorithm>

#include "catalog/catalog.h"
#include "catalog/keys.h"
#include "catalog/refusals.h"

namespace orrery::catalog {

namespace {

bool has_id(const std::vector<PartitionRange>& ranges, std::uint32_t id) {
    return std::any_of(
        ranges.begin(), ranges.end(), [&](const PartitionRange& range) { return range.id == id; });
}

}  // namespace

Result<std::vector<storage::PartitionId>> Catalog::reserve_partitions(std::uint32_t count) {
    const std::lock_guard changing(change_mutex_);
    if (counters_.exhausted(count)) return numbers_exhausted();
    Change change = begin_change();
    std::vector<storage::PartitionId> out;
    for (std::uint32_t i = 0; i < count; ++i) {
        out.push_back(++change.counters.partition);
        change.batch.put(key_of(kDropLetter, out.back()), {});
    }
    TRY(commit(change));
    reserved_.insert(out.begin(), out.end());
    return out;
}

Status Catalog::cancel_reservation(const std::vector<storage::PartitionId>& reserved) {
    {
        const std::lock_guard changing(change_mutex_);
        // Changes nothing, but in a cluster only the node that has the catalog succeeds, and every
        // node then knows of the changes before.
        Change change = begin_change();
        TRY(commit(change));
    }
    abandon_partitions(reserved);
    return {};
}

void Catalog::abandon_partitions(const std::vector<storage::PartitionId>& reserved) {
    const std::lock_guard changing(change_mutex_);
    const std::unique_lock lock(mutex_);
    for (const storage::PartitionId partition : reserved) {
        // Others are in the list already.
        if (reserved_.erase(partition) != 0) to_drop_.push_back(partition);
    }
}

Status Catalog::replace_ranges(model::ContainerRid rid,
                               const std::vector<std::uint32_t>& old_ids,
                               const std::vector<PartitionRange>& replacements) {
    const std::lock_guard changing(change_mutex_);
    const ContainerPtr old = find_container(rid);
    if (!old) return not_found();
    Change change = begin_change();
    auto container = std::make_shared<Container>(*old);
    std::vector<storage::PartitionId> dropped;
    std::erase_if(container->ranges, [&](const PartitionRange& range) {
        if (std::find(old_ids.begin(), old_ids.end(), range.id) == old_ids.end()) return false;
        dropped.push_back(range.partition);
        return true;
    });
    for (const PartitionRange& range : replacements) {
        if (has_id(container->ranges, range.id)) return not_found();
        if (!reserved_.contains(range.partition)) {
            return Error(ErrorCode::kGone, "a partition that was to take over has been dropped");
        }
        container->ranges.push_back(range);
        change.batch.remove(key_of(kDropLetter, range.partition));
    }
    std::sort(container->ranges.begin(),
              container->ranges.end(),
              [](const PartitionRange& a, const PartitionRange& b) {
                  return a.epks.min_inclusive < b.epks.min_inclusive;
              });
    if (dropped.size() != old_ids.size() || !tile_the_hash_space(container->ranges)) {
        return not_found();
    }
    for (const storage::PartitionId partition : dropped) {
        change.batch.put(key_of(kDropLetter, partition), {});
    }
    change.batch.put(key_of(rid), encode(*container));
    TRY(commit(change));
    const Publication publication(*this);
    to_drop_.insert(to_drop_.end(), dropped.begin(), dropped.end());
    for (const PartitionRange& range : replacements)
        reserved_.erase(range.partition);
    remember(ContainerPtr(container));
    return {};
}

}  // namespace orrery::catalog
