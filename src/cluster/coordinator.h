// The role of the coordinator: one node lists the members, declares nodes dead and assigns
// partitions. Any node takes the role when its holder is gone. Two deputies watch all nodes too, so
// that the loss of the coordinator and another node at once costs one lease, not two.
//
// Nothing here is needed for safety: a coordinator that does not know it was replaced can only
// wish for something else, and not for long.

#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>

#include "base/monotonic_clock.h"
#include "base/result.h"
#include "cluster/assigner.h"
#include "cluster/counts.h"
#include "cluster/mirror.h"
#include "cluster/node_list.h"
#include "cluster/observer.h"
#include "cluster/registration.h"
#include "cluster/trouble.h"
#include "storage/shared_objects.h"

namespace orrery::cluster {

inline constexpr std::size_t kDeputies = 2;

class Coordinator {
public:
    struct Parts {
        storage::SharedObjects& objects;
        const MonotonicClock& clock;
        Registration& registration;
        Observer& observer;
        Mirror& mirror;
        NodeList& nodes;
        Assigner& assigner;
        Counts& counts;
    };

    explicit Coordinator(const Parts& parts) : parts_(parts) {}

    // Looks at the coordinator, takes the role if it is this node's turn, and does its work if this
    // node has it. To be called by one thread, about twenty times per lease.
    void step();

    bool is_coordinator() const { return term_ != 0; }

private:
    Status look_at_coordinator();
    Status take_role(const CoordinatorRecord& before, storage::SharedObjects::Version expected);
    std::chrono::nanoseconds patience();
    void set_term(std::uint64_t term);
    bool is_deputy();
    Status coordinate();
    Status pass_role_on();

    const Parts parts_;
    std::atomic<std::uint64_t> term_ = 0;  // not 0: this node has the role

    // Used by the thread of step() only.
    CoordinatorRecord seen_;
    storage::SharedObjects::Version seen_version_ = storage::SharedObjects::kAbsent;
    std::optional<std::chrono::nanoseconds> vacant_since_;
    std::optional<std::chrono::nanoseconds> loads_read_at_;
    struct Deputy {
        std::uint64_t revision = 0;  // of the routing
        std::string coordinator;
        bool is_deputy = false;
    };
    std::optional<Deputy> deputy_;
    Trouble trouble_{"watching and coordinating"};
};

}  // namespace orrery::cluster
