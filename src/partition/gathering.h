// Decides whether a commit is worth delaying for the writers that were answered last.
//
// Clients that wait for their answers send the next write soon after. A commit that starts as soon
// as the one before has ended comes too early for them: half of the clients wait while the other
// half is on its way to the disk. If the disk is slow, a short wait lets all of them share one
// commit.

#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace orrery::partition {

// Used with the partition's mutex held.
class Gathering {
public:
    using Time = std::chrono::steady_clock::time_point;
    using Duration = std::chrono::steady_clock::duration;

    // Commits that take less are not worth waiting for: the processor is what limits them.
    static constexpr Duration kSlow = std::chrono::microseconds(750);
    static constexpr Duration kSlowPerWrite = std::chrono::microseconds(20);
    static constexpr Duration kWaitMax = std::chrono::milliseconds(5);
    // Commits that do not wait after a wait was in vain, or after one that was not slow: a single
    // slow one says nothing about the disk.
    static constexpr int kPause = 32;

    struct Commit {
        Time began;
        Time ended;
        std::size_t writes = 0;
        std::size_t waiting = 0;  // writes that came meanwhile
    };
    // `writes_max` is what one commit takes.
    void committed(const Commit& commit, std::size_t writes_max);

    // Until when to wait for wanted() writes; nullopt if the writes that are there should start.
    std::optional<Time> wait_until(Time now, std::size_t queued) const;
    std::size_t wanted() const { return wanted_; }
    // It was not reached in time.
    void failed() { pause_ = kPause; }

private:
    std::size_t wanted_ = 0;
    Time until_;
    int pause_ = 0;
};

}  // namespace orrery::partition
