// Keeps the routing of this node close to the shared objects, and publishes what this node has
// written itself. All functions may be called from any thread.

#pragma once

#include <array>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "cluster/counts.h"
#include "cluster/records.h"
#include "cluster/routing.h"
#include "cluster/shared_edit.h"
#include "storage/shared_objects.h"

namespace orrery::cluster {

using KnownShard = Versioned<ShardRecord>;

class Mirror {
public:
    Mirror(storage::SharedObjects& objects, Counts& counts) : objects_(objects), counts_(counts) {}

    const Routing& routing() const { return routing_; }

    // Counts up with every change of the routing.
    std::uint64_t revision() const;

    // Reads what has been announced since the last time.
    Status follow();
    // Reads the shard, whether announced or not.
    Result<KnownShard> read(std::size_t shard);
    // The same; if it is newer than what was announced, announces it, in case its writer did not.
    Status check(std::size_t shard);
    // What is known of the shard without reading; nothing before it was read.
    std::optional<KnownShard> known(std::size_t shard) const;

    // What this node has written; to be announced.
    void apply_own(std::size_t shard, const KnownShard& written);

    // Replaces the list of members, as the coordinator of this term.
    Status write_members(std::uint64_t term, const std::vector<MemberInfo>& members);

    // Tells the other nodes of what was written.
    Status announce();

    // The shards that a coordinator of an earlier term wrote last, or that were not written yet.
    std::vector<std::size_t> shards_before(std::uint64_t term) const;

private:
    using Version = storage::SharedObjects::Version;

    struct State {
        std::uint64_t term = 0;
        std::uint64_t sequence = 0;
        Version version = storage::SharedObjects::kAbsent;
        bool is_read = false;
    };

    void apply(std::size_t shard, const KnownShard& newest);
    void apply(const MembersRecord& members, Version version);
    void publish_shard(std::size_t shard, const ShardRecord& record);
    Status read_members();
    Result<std::optional<storage::SharedObjects::Value>> read_object(std::string_view name);
    // Of a name; a new one gets the next index.
    std::uint32_t index_of(const std::string& name, Routing::Table& table);
    std::shared_ptr<Routing::Table> copy_of_table() const;
    void publish(std::shared_ptr<Routing::Table> table);

    storage::SharedObjects& objects_;
    Counts& counts_;
    Routing routing_;

    mutable std::mutex mutex_;  // guards what follows, and changes of the routing
    std::array<State, kShards> shards_;
    State members_;
    std::unordered_map<std::string, std::uint32_t> indexes_;
    std::uint64_t revision_ = 0;
    ChangesRecord announced_;
    std::set<std::size_t> to_announce_;
    bool announce_members_ = false;
};

}  // namespace orrery::cluster
