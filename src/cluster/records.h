// The values of the shared objects by which nodes agree on who is in the cluster, who coordinates
// it and which node shall serve which partition, and their encoding (docs/storage-format.md).
//
// Decoding answers kCorrupted, naming the object, if the bytes are not what was written.

#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cluster/identity.h"
#include "cluster/partition_host.h"

namespace orrery::cluster {

inline constexpr int kClusterFormat = 1;

// kCorrupted: the object is not what was written.
Error damaged(std::string_view object);

// `cluster`: made by the first node, never changed.
struct ClusterRecord {
    static constexpr std::string_view kName = "cluster";

    int format = kClusterFormat;
    std::string id;
    std::string secret;  // 32 random bytes by which nodes authenticate each other
    std::chrono::milliseconds lease{};
    std::int64_t created_at = 0;  // Unix seconds

    static Result<ClusterRecord> decode(std::string_view bytes);
    std::string encode() const;
};

// kLeft and kDead are final for an incarnation: it owns nothing and will never write again.
enum class NodeState : std::uint8_t { kAlive, kDraining, kLeft, kDead };

std::string_view name_of(NodeState state);
constexpr bool is_live(NodeState state) {
    return state == NodeState::kAlive || state == NodeState::kDraining;
}

// `node/<name>`: written by the node itself, except for kDraining and kDead.
struct NodeRecord {
    Identity identity;
    std::string url;       // for clients
    std::string node_url;  // for other nodes
    NodeState state = NodeState::kAlive;
    std::uint64_t renewals = 0;    // counts up; the lease is not over while it changes
    std::int64_t started_at = 0;   // Unix seconds
    double weight = 1;             // capacity, relative to other nodes
    std::uint64_t partitions = 0;  // acquired
    double load = 0;               // request units per second

    static std::string name(std::string_view node) { return "node/" + std::string(node); }
    static Result<NodeRecord> decode(std::string_view bytes);
    std::string encode() const;
};

// `coordinator`: who decides about the assignment. The term counts up with every holder.
struct CoordinatorRecord {
    static constexpr std::string_view kName = "coordinator";

    Identity holder;
    std::uint64_t term = 0;

    static Result<CoordinatorRecord> decode(std::string_view bytes);
    std::string encode() const;
};

// What every node knows of the others.
struct MemberInfo {
    Identity identity;
    NodeState state = NodeState::kAlive;
    std::string url;
    std::string node_url;

    bool operator==(const MemberInfo&) const = default;
};

// `members`: the live nodes, by name; written by the coordinator.
struct MembersRecord {
    static constexpr std::string_view kName = "members";

    std::uint64_t term = 0;
    std::uint64_t sequence = 0;  // counts up with every change
    std::vector<MemberInfo> members;

    static Result<MembersRecord> decode(std::string_view bytes);
    std::string encode() const;
};

// Always assigned to the node that coordinates: the catalog.
inline constexpr PartitionId kCatalogPartition = 0;

// The assignment is cut into shards, so that a change of one partition rewrites little.
inline constexpr std::size_t kShards = 256;
constexpr std::size_t shard_of(PartitionId partition) { return partition % kShards; }

struct AssignmentEntry {
    PartitionId partition = 0;
    std::string node;  // shall own it and serves it
    std::string next;  // shall have it when `node` is ready to hand it over; empty: no move

    bool operator==(const AssignmentEntry&) const = default;
};

// `assignment/<shard>`: every node may add partitions that are missing, and the node of an entry
// may hand it over to the next. All other changes are the coordinator's.
struct ShardRecord {
    std::uint64_t term = 0;  // of the last coordinator that wrote it
    std::uint64_t sequence = 0;
    std::vector<AssignmentEntry> entries;  // by partition

    static std::string name(std::size_t shard) { return "assignment/" + std::to_string(shard); }
    static Result<ShardRecord> decode(std::size_t shard, std::string_view bytes);
    std::string encode() const;

    // Nothing if there is none.
    AssignmentEntry* find(PartitionId partition);
    void add(AssignmentEntry entry);
    void remove(PartitionId partition);
};

// `changes`: the sequences of all of these, so that nodes read one object to learn what to read.
// A hint: it is written after what it announces, and may never be if its writer stops between.
struct ChangesRecord {
    static constexpr std::string_view kName = "changes";

    std::uint64_t members = 0;
    std::array<std::uint64_t, kShards> shards{};

    bool operator==(const ChangesRecord&) const = default;

    static Result<ChangesRecord> decode(std::string_view bytes);
    std::string encode() const;
};

// `load/<name>`: what the partitions of a node cost, for balancing.
struct LoadRecord {
    Incarnation incarnation = 0;
    std::vector<PartitionLoad> partitions;  // by id

    bool operator==(const LoadRecord&) const = default;

    static std::string name(std::string_view node) { return "load/" + std::string(node); }
    static Result<LoadRecord> decode(std::string_view bytes);
    std::string encode() const;
};

}  // namespace orrery::cluster
