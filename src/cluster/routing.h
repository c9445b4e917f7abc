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

    // The assignment, whether its nodes are in the cluster or not.
    std::optional<AssignmentEntry> entry_of(PartitionId partition) const;
    std::vector<AssignmentEntry> entries() const;
    std::vector<AssignmentEntry> entries_of(std::string_view node) const;
    std::vector<Move> moves() const;
    std::size_t partition_count() const;
    std::unordered_map<std::string, std::size_t> partitions_per_node() const;

private:
    friend class Mirror;

    struct Entry {
        PartitionId partition = 0;
        std::uint32_t node = 0;  // index into the names
        std::uint32_t next = 0;  // 0: no move; the first name is empty
    };
    using Shard = std::vector<Entry>;  // by partition
    using Names = std::vector<std::string>;
    // Replaced as a whole; what did not change is shared with the one before.
    struct Table {
        std::array<std::shared_ptr<const Shard>, kShards> shards;
        std::shared_ptr<Names> names;  // not changed once the table is published
        // By index of the name, nothing for those not in the cluster; maybe shorter than the names.
        std::vector<std::shared_ptr<const MemberInfo>> members;

        const Entry* find(PartitionId partition) const;
        const std::string& name(std::uint32_t index) const { return (*names)[index]; }
        AssignmentEntry entry(const Entry& entry) const;
    };

    ReadMostlyPointer<const Table> table_;
};

}  // namespace orrery::cluster
