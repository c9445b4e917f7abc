// Changes of the assignment: what which node may do to which entry. All functions may be called
// from any thread, and return when the change is in the shared objects and in this node's routing.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cluster/counts.h"
#include "cluster/mirror.h"
#include "cluster/parallel.h"
#include "cluster/records.h"
#include "storage/shared_objects.h"

namespace orrery::cluster {

class Assignments {
public:
    Assignments(storage::SharedObjects& objects, Mirror& mirror, Counts& counts, Parallel& parallel)
        : objects_(objects), mirror_(mirror), counts_(counts), parallel_(parallel) {}

    // Adds entries for partitions that have none; the others stay as they are.
    Status add(std::span<const AssignmentEntry> entries);
    Status remove(std::span<const PartitionId> partitions);
    // Gives partitions of this node to the nodes that shall have them next. Those that are not
    // moving stay.
    Status hand_over(std::string_view node, std::span<const PartitionId> partitions);

    struct Change {
        AssignmentEntry before;
        AssignmentEntry after;
    };
    // As the coordinator of this term. Entries that are not as they were before stay. kFenced if
    // there is a newer coordinator.
    Status change(std::uint64_t term, std::span<const Change> changes);
    // Makes coordinators of earlier terms unable to write the shards.
    Status claim(std::uint64_t term, std::span<const std::size_t> shards);

private:
    using Edit = std::function<Result<bool>(ShardRecord&)>;

    Status edit_shard(std::size_t shard, const Edit& edit);
    // Runs the edits of several shards in parallel; the first error counts.
    Status edit_shards(std::span<const std::size_t> shards,
                       const std::function<Result<bool>(std::size_t, ShardRecord&)>& edit);

    storage::SharedObjects& objects_;
    Mirror& mirror_;
    Counts& counts_;
    Parallel& parallel_;
};

}  // namespace orrery::cluster
