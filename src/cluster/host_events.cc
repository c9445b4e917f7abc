#include "cluster/host_events.h"

#include <unordered_set>
#include <utility>
#include <vector>

namespace orrery::cluster {

void HostEvents::tell() {
    const std::uint64_t revision = mirror_.revision();
    if (std::exchange(told_revision_, revision) == revision) return;
    std::vector<PartitionId> assigned;
    std::vector<PartitionId> moving;
    std::vector<PartitionId> revoked;
    std::unordered_set<PartitionId> now;
    for (const AssignmentEntry& entry : mirror_.routing().entries_of(node_)) {
        now.insert(entry.partition);
        const auto [told, is_new] = told_.try_emplace(entry.partition);
        if (is_new) assigned.push_back(entry.partition);
        const std::string before = std::exchange(told->second, entry.next);
        if (!entry.next.empty() && entry.next != before) moving.push_back(entry.partition);
    }
    std::erase_if(told_, [&](const auto& told) {
        const bool is_gone = !now.contains(told.first);
        if (is_gone) revoked.push_back(told.first);
        return is_gone;
    });
    if (!revoked.empty()) host_.revoked(revoked);
    if (!assigned.empty()) host_.assigned(assigned);
    if (!moving.empty()) host_.moving(moving);
}

void HostEvents::revoke_all() {
    std::vector<PartitionId> revoked;
    for (const auto& [partition, next] : std::exchange(told_, {}))
        revoked.push_back(partition);
    if (!revoked.empty()) host_.revoked(revoked);
}

}  // namespace orrery::cluster
