// All nodes of the cluster, as the coordinator and its deputies watch them.

#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/monotonic_clock.h"
#include "base/result.h"
#include "cluster/observer.h"
#include "cluster/parallel.h"
#include "cluster/records.h"
#include "cluster/registration.h"
#include "storage/shared_objects.h"

namespace orrery::cluster {

// A node that is gone is forgotten after this time, so that its operator can see it until then.
inline constexpr std::chrono::minutes kForgetNodeAfter{60};

class NodeList {
public:
    NodeList(storage::SharedObjects& objects,
             const MonotonicClock& clock,
             const Registration& registration,
             Observer& observer,
             Parallel& parallel)
        : objects_(objects),
          clock_(clock),
          registration_(registration),
          observer_(observer),
          parallel_(parallel) {}

    // Looks at every node but this one. Nodes whose object cannot be read stay as they were; an
    // error if one has never been read, so that nothing is concluded from its absence.
    Status sweep();
    // A node has joined: look for new ones in the next sweep. From any thread; the other functions
    // are for one.
    void expect_new_nodes() { list_is_due_ = true; }
    // For a node that stops watching: what it knows would be outdated when it starts again.
    void clear();

    // By name, also those that are gone.
    const std::map<std::string, NodeRecord>& nodes() const { return nodes_; }
    // Those in the cluster, by name.
    std::vector<MemberInfo> live() const;

    // Removes the objects of nodes that have been gone for long.
    void forget_old();

private:
    Status list();
    void look_at(const std::vector<std::string>& names);
    void note(NodeRecord record);

    storage::SharedObjects& objects_;
    const MonotonicClock& clock_;
    const Registration& registration_;
    Observer& observer_;
    Parallel& parallel_;

    std::atomic<bool> list_is_due_ = true;
    std::chrono::nanoseconds listed_at_{};
    std::map<std::string, NodeRecord> nodes_;
    std::set<std::string> unseen_;  // listed, but not read yet
    std::map<std::string, std::chrono::nanoseconds> gone_since_;
};

}  // namespace orrery::cluster
