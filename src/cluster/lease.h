// The right of one incarnation of a node to answer from what it owns, limited in time. Others may
// take its partitions only after they have seen no renewal for the whole length of the lease on
// their own clocks, so the holder must stop before: it counts from before it sent the renewal, and
// it counts less.
//
// Check it after reading what is to be answered: if it is held then, nobody else had taken over
// when the answer was read.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "base/monotonic_clock.h"
#include "cluster/identity.h"

namespace orrery::cluster {

inline constexpr std::chrono::milliseconds kDefaultLease{10'000};
inline constexpr std::chrono::milliseconds kLeaseMin{200};

// The part of the lease that its holder does not use. It bounds how far the clocks of two nodes may
// drift apart during one lease: 5 %, which is a hundred times what NTP allows itself to correct.
inline constexpr int kDriftShare = 20;

constexpr std::chrono::nanoseconds usable_time(std::chrono::nanoseconds lease) {
    return lease - lease / kDriftShare;
}

class Lease {
public:
    Lease(const MonotonicClock& clock, Identity identity)
        : clock_(clock), identity_(std::move(identity)), owner_(owner_text(identity_)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() = default;

    // Cheap enough for every read. Once this incarnation is lost, false for ever: a new incarnation
    // has a new lease.
    bool held() const { return clock_.now().count() < until_.load(std::memory_order_acquire); }
    // Zero or less if not held.
    std::chrono::nanoseconds remaining() const {
        return std::chrono::nanoseconds(until_.load(std::memory_order_acquire)) - clock_.now();
    }

    const Identity& identity() const { return identity_; }
    // What to write into the directory of a partition that is taken under this lease.
    const std::string& owner() const { return owner_; }

private:
    friend class Registration;

    const MonotonicClock& clock_;
    const Identity identity_;
    const std::string owner_;
    std::atomic<std::int64_t> until_ = INT64_MIN;  // on clock_, in nanoseconds
};

}  // namespace orrery::cluster
