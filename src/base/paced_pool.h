// Threads for work whose length is not known beforehand. All work starts in the fast lane. Work
// that has used its first time slice moves to the slow lane: its thread loses priority and shares a
// fixed number of slots with the others in that lane, in turn. So short work never waits for long
// work, and long work shares the cores fairly.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include "base/pacer.h"
#include "base/pool_stats.h"

namespace orrery {

class PacedPool {
public:
    struct Options {
        std::size_t fast = 2;          // work that runs in the fast lane at a time
        std::size_t slow = 2;          // the same in the slow lane
        std::size_t queue_max = 1024;  // work that waits to start
        std::size_t slow_max = 64;     // work in the slow lane, running or waiting for its turn
    };
    using Work = std::function<void(Pacer&)>;

    explicit PacedPool(const Options& options);
    PacedPool(const PacedPool&) = delete;
    PacedPool& operator=(const PacedPool&) = delete;
    // Runs all work posted so far, then ends the threads.
    ~PacedPool();

    // False, and the work is not taken, if too much is waiting. The pacer is valid during the call
    // and for its thread only.
    [[nodiscard]] bool try_post(Work work);

    // Of each lane. Work that moves to the slow lane counts in both.
    struct Stats {
        PoolStats fast;
        PoolStats slow;
    };
    Stats stats() const;

private:
    using Threads = std::list<std::thread>;
    class Turn;

    // All with the mutex held.
    void start_thread();
    void join_ended();
    bool enter_slow_lane(Turn& turn, std::unique_lock<std::mutex>& lock);
    void take_turns(Turn& turn, std::unique_lock<std::mutex>& lock);
    void leave_slow_lane();

    void run(Threads::iterator self);

    const Options options_;
    mutable std::mutex mutex_;
    std::condition_variable work_or_end_;
    std::condition_variable turns_;
    std::condition_variable ended_change_;
    std::deque<Work> queue_;
    Threads threads_;
    Threads ended_;              // to be joined
    std::size_t in_slow_ = 0;    // work in the slow lane
    std::size_t slow_free_;      // slots of the slow lane
    std::deque<Turn*> waiting_;  // for a slot
    std::size_t running_ = 0;    // in either lane, or waiting for a slot
    std::uint64_t started_ = 0;
    std::uint64_t started_slow_ = 0;
    std::uint64_t refused_ = 0;
    std::uint64_t refused_slow_ = 0;
    bool stopping_ = false;
};

}  // namespace orrery
