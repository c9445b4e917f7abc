// Watches the objects of other nodes, and declares dead those whose lease is over. May be used from
// any thread.

#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/monotonic_clock.h"
#include "base/result.h"
#include "cluster/counts.h"
#include "cluster/records.h"
#include "storage/shared_objects.h"

namespace orrery::cluster {

class Observer {
public:
    Observer(storage::SharedObjects& objects, const MonotonicClock& clock, Counts& counts)
        : objects_(objects), clock_(clock), counts_(counts) {}

    // Must be called before the others.
    void set_lease(std::chrono::nanoseconds lease) { lease_ = lease; }

    // What the object of a node says now; nothing if it has none. A node that has not renewed for
    // the whole lease, as seen by this observer, is declared dead first.
    Result<std::optional<NodeRecord>> look_at(const std::string& node);

    // Since its present renewal was seen for the first time; nothing if it is not watched.
    std::optional<std::chrono::nanoseconds> age_of(const std::string& node) const;
    void forget(const std::string& node);

    // See Member::is_gone().
    Result<bool> is_gone(const Identity& owner);

private:
    struct Seen {
        Identity identity;
        std::uint64_t renewals = 0;
        std::chrono::nanoseconds since{};
    };

    std::chrono::nanoseconds note(const NodeRecord& record);
    Result<NodeRecord> declare_dead(NodeRecord record, storage::SharedObjects::Version version);

    storage::SharedObjects& objects_;
    const MonotonicClock& clock_;
    Counts& counts_;
    std::chrono::nanoseconds lease_{};

    mutable std::mutex mutex_;  // guards the map
    std::unordered_map<std::string, Seen> seen_;
};

}  // namespace orrery::cluster
