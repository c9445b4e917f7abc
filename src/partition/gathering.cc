#include "partition/gathering.h"

#include <algorithm>

namespace orrery::partition {

void Gathering::committed(const Commit& commit, std::size_t writes_max) {
    const Duration took = commit.ended - commit.began;
    const bool slow = took >= kSlow + kSlowPerWrite * commit.writes;
    pause_ = slow ? std::max(pause_ - 1, 0) : kPause;
    wanted_ = std::min(commit.writes + commit.waiting, writes_max);
    // Longer would cost more than the commit that it saves.
    until_ = commit.ended + std::min(took / 2, kWaitMax);
}

std::optional<Gathering::Time> Gathering::wait_until(Time now, std::size_t queued) const {
    if (pause_ > 0 || queued >= wanted_ || now >= until_) return std::nullopt;
    return until_;
}

}  // namespace orrery::partition
