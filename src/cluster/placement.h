// Which node should have which partition: pure functions. Nodes and partitions are named by their
// place in the input.
//
// Partitions without a live node are placed at once. Everything else is gradual: a move is planned
// only if it brings a clear gain, and few are under way at a time, so a node that joins or leaves
// moves no more than it must, and noise in the loads moves nothing.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cluster/partition_host.h"

namespace orrery::cluster {

inline constexpr std::uint32_t kNowhere = UINT32_MAX;
inline constexpr std::uint32_t kGone = kNowhere - 1;  // a node that is not in the cluster anymore

struct PlacementNode {
    double weight = 1;
    bool accepts = true;  // false: draining
};

struct PlacedPartition {
    PartitionId partition = 0;
    double load = 0;
    std::uint64_t bytes = 0;
    std::uint32_t node = kGone;
    std::uint32_t next = kNowhere;  // not kNowhere: a move is under way
    std::uint32_t pinned_to = kNowhere;
};

struct PlacementLimits {
    // Moves under way that a node gives or takes, and all of them.
    std::uint32_t moves_per_node = 4;
    std::uint32_t moves_per_cluster = 64;
    // How far the fullest and the emptiest node may be apart, relative to the average. Loads are
    // noisy, counts are not.
    double count_tolerance = 0.1;
    double load_tolerance = 0.2;
    // Loads count as shares of at least this much load per node. An idle cluster would otherwise
    // rearrange itself for a handful of requests.
    double load_floor = 100;
    // False: neither balance nor drain, only what cannot wait.
    bool may_move = true;
};

struct PlacementChange {
    std::uint32_t index = 0;  // of the partition
    std::uint32_t node = kNowhere;
    std::uint32_t next = kNowhere;

    bool operator==(const PlacementChange&) const = default;
};

// What to change now, in the order of urgency; at most one change for each partition. Without any
// node, nothing.
std::vector<PlacementChange> plan_placement(std::span<const PlacementNode> nodes,
                                            std::span<const PlacedPartition> partitions,
                                            const PlacementLimits& limits);

// Nodes for `count` new partitions, given how many each node has: always the one with the fewest.
std::vector<std::uint32_t> spread(std::span<const PlacementNode> nodes,
                                  std::vector<std::size_t> partitions,
                                  std::size_t count);

}  // namespace orrery::cluster
