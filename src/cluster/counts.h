// The counters of a member. What they count is rare, so one lock is enough.

#pragma once

#include <mutex>

#include "cluster/description.h"

namespace orrery::cluster {

class Counts {
public:
    void add(std::uint64_t MemberCounts::*which, std::uint64_t n = 1) {
        const std::lock_guard lock(mutex_);
        counts_.*which += n;
    }
    MemberCounts read() const {
        const std::lock_guard lock(mutex_);
        return counts_;
    }

private:
    mutable std::mutex mutex_;
    MemberCounts counts_;
};

}  // namespace orrery::cluster
