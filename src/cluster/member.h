// This node's part in the cluster: it joins, keeps its lease, follows the assignment and tells the
// host what to take and to release, watches other nodes, and coordinates if it is its turn. The
// protocol and why it is safe: docs/adr/0041-ownership.md.
//
//     Member member(options, objects, clock, wall_clock, random, host);
//     TRY(member.start());
//     ... member.lease()->held() ... member.routing().owner_of(partition) ...
//     TRY(member.leave(std::chrono::seconds(30)));
//
// Destroyed without leave(), the node looks like one that crashed.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/monotonic_clock.h"
#include "base/random.h"
#include "base/result.h"
#include "cluster/description.h"
#include "cluster/lease.h"
#include "cluster/member_options.h"
#include "cluster/partition_host.h"
#include "cluster/routing.h"
#include "storage/shared_objects.h"

namespace orrery::cluster {

// All functions may be called from any thread. Errors are those of SharedObjects unless stated.
class Member {
public:
    // Everything passed by reference must outlive it.
    Member(MemberOptions options,
           storage::SharedObjects& objects,
           const MonotonicClock& clock,
           const Clock& wall_clock,
           Random& random,
           PartitionHost& host);
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    ~Member();

    // Joins the cluster, creating it if there is none, and starts to follow it. If an earlier
    // process of this name did not leave, waits until its lease is over. kConflict if that process
    // is still running, kBadRequest if the name cannot be one, kUnavailable if stopped meanwhile.
    Status start();

    // Hands over everything to other nodes, if there are any, and leaves. Returns when the host has
    // released all partitions; kTimeout if that takes too long, and the node is then as after
    // stop().
    Status leave(std::chrono::milliseconds timeout);

    // Ends the threads; the lease runs out. The host must answer nothing from then on.
    void stop();

    // Of the running incarnation. Keep it with each partition that is acquired under it.
    std::shared_ptr<const Lease> lease() const;
    const Routing& routing() const;
    // The cluster's id, secret and lease. Only after start().
    const ClusterRecord& cluster() const;
    bool is_coordinator() const;

    // True if this incarnation will never again answer or write: it left, died, or another one has
    // its name. This decides whether a partition may be taken from it. Reads the shared objects.
    Result<bool> is_gone(const Identity& owner);

    // Brings the routing of one partition up to date, after a request for it was refused elsewhere.
    Status refresh(PartitionId partition);

    // Assigns new partitions to the preferred node (the split parent's, say), or, if that is empty
    // or not in the cluster, where they are fewest. Those that are assigned already stay there.
    Status place(std::span<const PartitionId> partitions, std::string_view preferred = {});
    // Drops partitions that no longer exist from the assignment.
    Status remove(std::span<const PartitionId> partitions);

    // What the host reports: see PartitionHost.
    void acquired(PartitionId partition);
    void released(PartitionId partition);
    // Lets the next owner have partitions that are moving. The host is then told to release them.
    Status hand_over(std::span<const PartitionId> partitions);

    // Moves all partitions off a node, or lets it have some again. kNotFound if it is not live.
    Status drain(std::string_view node, bool drained = true);

    Result<ClusterDescription> describe();
    MemberStats stats() const;

    // What the threads do, one step at a time; tests and simulations call these instead of start().
    // join_once() is false while it waits for another lease to end.
    Result<bool> join_once();
    bool renew_once();
    void follow_once();
    void coordinate_once();

private:
    struct State;

    void start_threads();
    void rejoin_once();
    Status report_loads();
    bool wait_until(std::chrono::nanoseconds deadline, const std::function<bool()>& condition);

    std::unique_ptr<State> state_;
};

}  // namespace orrery::cluster
