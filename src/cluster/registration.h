// This node's own object, and the lease that renewing it gives. All functions may be called from
// any thread; those that write wait for each other.

#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/monotonic_clock.h"
#include "base/random.h"
#include "base/result.h"
#include "cluster/counts.h"
#include "cluster/lease.h"
#include "cluster/member_options.h"
#include "cluster/records.h"
#include "storage/shared_objects.h"

namespace orrery::cluster {

class Registration {
public:
    Registration(const MemberOptions& options,
                 storage::SharedObjects& objects,
                 const MonotonicClock& clock,
                 const Clock& wall_clock,
                 Random& random,
                 Counts& counts);

    // Reads the cluster's object, or creates it.
    Status open_cluster();
    const ClusterRecord& cluster() const { return cluster_; }

    // Takes the name with a new incarnation and lease. If the name belongs to a process that may
    // still run, kWaiting: call again, until the lease of that process is over (then this takes the
    // name) or has been renewed (kConflict).
    enum class Join : std::uint8_t { kJoined, kWaiting };
    Result<Join> join();

    // kLost: this incarnation is dead. kFailed: not renewed, try again soon.
    enum class Renewal : std::uint8_t { kRenewed, kFailed, kLost };
    Renewal renew(std::uint64_t partitions, double load);

    // Marks this incarnation as draining or alive.
    Status set_draining(bool draining);
    // Ends the lease and says so. Only when everything is released.
    Status leave();

    // Of the newest incarnation.
    std::shared_ptr<const Lease> lease() const;
    // As last written.
    NodeRecord record() const;

private:
    using Version = storage::SharedObjects::Version;
    using Value = storage::SharedObjects::Value;

    Result<Join> take_name(Version expected);
    bool is_over(const NodeRecord& other);
    // What the object shows: this incarnation in use, ended, another one, or nothing.
    enum class Found : std::uint8_t { kLive, kEnded, kOther, kNothing };
    // Reads it, and takes it over if it is live.
    Result<Found> adopt();
    void lose(Found found);
    void extend_lease(std::chrono::nanoseconds sent_at);
    void note_lapse();

    const MemberOptions options_;
    storage::SharedObjects& objects_;
    const MonotonicClock& clock_;
    const Clock& wall_clock_;
    Random& random_;
    Counts& counts_;
    const std::string object_;  // its name
    ClusterRecord cluster_;

    std::mutex writing_;  // held across calls of objects_; guards what follows
    Version version_ = storage::SharedObjects::kAbsent;
    bool version_is_known_ = false;
    bool lapse_is_noted_ = true;
    // What the other process of this name showed, and since when.
    struct Other {
        Identity identity;
        std::uint64_t renewals = 0;
        std::chrono::nanoseconds since{};
    };
    std::optional<Other> other_;

    mutable std::mutex mutex_;  // guards what follows; taken after writing_
    std::shared_ptr<Lease> lease_;
    NodeRecord record_;
};

}  // namespace orrery::cluster
