// How a node takes part in a cluster.

#pragma once

#include <chrono>
#include <string>

#include "cluster/lease.h"

namespace orrery::cluster {

struct MemberOptions {
    std::string name;
    std::string url;       // for clients
    std::string node_url;  // for other nodes
    double weight = 1;     // capacity, relative to other nodes
    // If this node creates the cluster; otherwise the cluster's is used.
    std::chrono::milliseconds lease = kDefaultLease;
    // Calls of the shared objects at the same time, where there are many to make.
    std::size_t threads = 8;
};

}  // namespace orrery::cluster
