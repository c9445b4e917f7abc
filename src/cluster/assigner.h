// The coordinator's decisions: compares the assignment with what placement wants, and writes the
// difference. Used by one thread.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/monotonic_clock.h"
#include "base/result.h"
#include "cluster/assignments.h"
#include "cluster/counts.h"
#include "cluster/mirror.h"
#include "cluster/node_list.h"
#include "cluster/parallel.h"
#include "cluster/placement.h"
#include "storage/shared_objects.h"

namespace orrery::cluster {

// A move whose node has not become ready for it by then is given up.
inline constexpr std::chrono::seconds kMoveTime{60};

class Assigner {
public:
    struct Parts {
        storage::SharedObjects& objects;
        const MonotonicClock& clock;
        const NodeList& nodes;
        Mirror& mirror;
        Assignments& assignments;
        Parallel& parallel;
        Counts& counts;
    };

    explicit Assigner(const Parts& parts) : parts_(parts) {}

    // Assigns what has no live node, and begins and cancels moves. kFenced if there is a newer
    // coordinator.
    Status step(std::uint64_t term, const std::string& own_node);
    // The loads that nodes report, for the next steps.
    void read_loads();

    // Takes some of the shards that coordinators before have written last, and looks for changes
    // that were not announced.
    Status tend_shards(std::uint64_t term);

private:
    using Entries = std::vector<AssignmentEntry>;
    using Changes = std::vector<Assignments::Change>;
    struct Numbering;

    Changes plan(const Entries& entries, const std::string& own_node) const;
    std::vector<PlacedPartition> to_plan(const Entries& entries,
                                         const Numbering& nodes,
                                         const std::string& own_node) const;
    Changes overdue_moves(const std::vector<Move>& moves);
    void count_made(const Changes& changes, const std::vector<MemberInfo>& live);

    const Parts parts_;
    std::unordered_map<PartitionId, PartitionLoad> loads_;
    std::unordered_map<PartitionId, std::chrono::nanoseconds> moves_since_;
    std::size_t next_checked_ = 0;  // shard
    std::uint64_t loads_revision_ = 0;
    // From what the last plan without changes was made: the next one would be the same.
    struct Inputs {
        std::uint64_t routing = 0;
        std::uint64_t loads = 0;
        std::vector<MemberInfo> live;
        bool operator==(const Inputs&) const = default;
    };
    std::optional<Inputs> settled_;
};

}  // namespace orrery::cluster
