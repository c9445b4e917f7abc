// Tells the host what to take, to prepare and to release: the difference between the routing and
// what it was told before. Used by one thread.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "cluster/mirror.h"
#include "cluster/partition_host.h"

namespace orrery::cluster {

class HostEvents {
public:
    HostEvents(std::string node, const Mirror& mirror, PartitionHost& host)
        : node_(std::move(node)), mirror_(mirror), host_(host) {}

    void tell();
    // The node leaves or is lost: whatever the routing says, the host has nothing.
    void revoke_all();
    void forget_all() {
        told_.clear();
        told_revision_.reset();
    }

private:
    const std::string node_;
    const Mirror& mirror_;
    PartitionHost& host_;
    std::unordered_set<PartitionId> told_;        // assigned
    std::optional<std::uint64_t> told_revision_;  // of the routing
};

}  // namespace orrery::cluster
