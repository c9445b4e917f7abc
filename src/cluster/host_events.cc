#include "cluster/host_events.h"

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
        if (told_.insert(entry.partition).second) assigned.push_back(entry.partition);
        // Each time: a move may have been cancelled and begun anew in between.
        if (!entry.next.empty()) moving.push_back(entry.partition);
    }
    std::erase_if(told_, [&](PartitionId partition) {
        if (now.contains(partition)) return false;
        revoked.push_back(partition);
        return true;
    });
    if (!revoked.empty()) host_.revoked(revoked);
    if (!assigned.empty()) host_.assigned(assigned);
    if (!moving.empty()) host_.moving(moving);
}

void HostEvents::revoke_all() {
    const std::vector<PartitionId> revoked(told_.begin(), told_.end());
    told_.clear();
    if (!revoked.empty()) host_.revoked(revoked);
}

}  // namespace orrery::cluster
