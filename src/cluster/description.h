// What operators want to know of a cluster, as plain numbers: for GET /_admin/cluster and metrics.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/records.h"
#include "cluster/routing.h"

namespace orrery::cluster {

struct NodeDescription {
    NodeRecord record;
    std::size_t assigned = 0;  // partitions it shall own
    // Since this node saw a renewal for the first time. Nothing if this node does not watch it: the
    // coordinator and its deputies watch all nodes.
    std::optional<std::chrono::milliseconds> lease_age;
};

struct ClusterDescription {
    std::string id;
    std::chrono::milliseconds lease{};
    CoordinatorRecord coordinator;
    std::vector<NodeDescription> nodes;  // by name, also those that left or died lately
    std::size_t partitions = 0;          // assigned
    std::vector<Move> moves;             // under way
};

// Since the start of this process.
struct MemberCounts {
    std::uint64_t renewals = 0;
    std::uint64_t renewal_failures = 0;
    std::uint64_t lease_lapses =
        0;  // times the lease was not renewed in time, lost for good or not
    std::uint64_t incarnations_lost = 0;
    std::uint64_t deaths_declared = 0;
    std::uint64_t terms = 0;            // times this node became the coordinator
    std::uint64_t takeovers = 0;        // partitions given to others because their node was gone
    std::uint64_t moves_started = 0;    // by this node as the coordinator
    std::uint64_t moves_cancelled = 0;  // likewise
    std::uint64_t handovers = 0;        // partitions that this node handed over
    std::uint64_t placements = 0;       // new partitions placed by this node
    std::uint64_t refreshes = 0;        // shards read because a request found them outdated
    std::uint64_t conflicts = 0;        // writes repeated because another node was first
    std::uint64_t errors = 0;           // of shared objects, in reads and writes
};

struct MemberStats {
    MemberCounts counts;
    std::chrono::nanoseconds lease_remaining{};
    bool coordinator = false;
    std::size_t nodes = 0;       // in the cluster, as far as this node knows
    std::size_t partitions = 0;  // in the cluster, likewise
    std::size_t assigned = 0;    // to this node
    std::size_t acquired = 0;    // by this node
    std::size_t moves = 0;       // under way in the cluster
};

}  // namespace orrery::cluster
