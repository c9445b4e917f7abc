// Where each partition is, as this node knows it: a copy of the cluster's assignment that may be
// behind. Looking up takes no lock that a writer holds for long and writes to no cache line that
// another core uses.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/read_mostly.h"
#include "cluster/records.h"

namespace orrery::cluster {

struct Move {
    PartitionId partition = 0;
    std::string from;
    std::string to;

    bool operator==(const Move&) const = default;
};

class Routing {
public:
    Routing();

    // The node that shall serve the partition. Nothing if the partition is not assigned, or its
    // node is not known to be in the cluster: refresh it, or place it.
    std::shared_ptr<const MemberInfo> owner_of(PartitionId partition) const;

    // Of that name; nothing if it is not in the cluster.
    std::shared_ptr<const MemberInfo> node(std::string_view name) const;
    // All that are in the cluster, by name.
    std::vector<MemberInfo> nodes() const;

    // The name of the node, whether it is in the cluster or not.
    std::optional<std::string> assigned_to(PartitionId partition) const;
    std::vector<PartitionId> partitions_of(std::string_view node) const;
    std::vector<Move> moves() const;
    std::size_t partition_count() const;
    // By name, of every node that has any.
    std::vector<std::pair<std::string, std::size_t>> partitions_per_node() const;

private:
    friend class Mirror;

    struct Entry {
        PartitionId partition = 0;
        std::uint32_t node = 0;  // index into the names
        std::uint32_t next = 0;  // kNone: no move
    };
    using Shard = std::vector<Entry>;  // by partition
    // Replaced as a whole; what did not change is shared with the one before.
    struct Table {
        std::array<std::shared_ptr<const Shard>, kShards> shards;
        std::shared_ptr<const std::vector<std::string>> names;
        // By index of the name; nothing for those not in the cluster.
        std::vector<std::shared_ptr<const MemberInfo>> members;
    };
    static constexpr std::uint32_t kNone = UINT32_MAX;

    ReadMostlyPointer<const Table> table_;
};

}  // namespace orrery::cluster
