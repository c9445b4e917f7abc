// What a member needs from the part of the server that opens and serves partitions.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "storage/engine.h"

namespace orrery::cluster {

using storage::PartitionId;

struct PartitionLoad {
    PartitionId partition = 0;
    double load = 0;  // request units per second, averaged over about a minute
    std::uint64_t bytes = 0;

    bool operator==(const PartitionLoad&) const = default;
};

// All functions but lost() are called from a thread of the member and must return soon: they queue
// what takes time. The calls come in the order of the events.
class PartitionHost {
public:
    PartitionHost() = default;
    PartitionHost(const PartitionHost&) = delete;
    PartitionHost& operator=(const PartitionHost&) = delete;
    virtual ~PartitionHost() = default;

    // This node shall take these and serve them, now or when they are first needed. If the
    // directory of one names an owner, wait until Member::is_gone() says that this owner is gone,
    // or until it has released the partition. Call Member::acquired() when it is taken.
    virtual void assigned(std::span<const PartitionId> partitions) = 0;

    // Another node shall have these. Prepare what makes the change of owner short while they are
    // still served (write what is only in memory, say), then call Member::hand_over(). Called
    // again for the same partitions while they are moving.
    virtual void moving(std::span<const PartitionId> partitions) = 0;

    // Stop serving these, release them in storage, then call Member::released(). Also called for
    // partitions that were never acquired.
    virtual void revoked(std::span<const PartitionId> partitions) = 0;

    // The lease is lost for good: others take the partitions. Returns when everything is closed and
    // nothing is answered anymore from what was open; nothing needs to be released. All partitions
    // count as revoked. The member then joins again and assigns anew.
    virtual void lost() = 0;

    // Of the partitions acquired and not yet released.
    virtual std::vector<PartitionLoad> loads() = 0;
};

}  // namespace orrery::cluster
