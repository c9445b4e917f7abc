// Threads that run posted work in order of arrival: a fixed number, and more while all of them are
// busy if that is allowed. Work that throws is logged and dropped; the thread goes on.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <thread>

#include "base/pool_stats.h"

namespace orrery {

class ThreadPool {
public:
    // kLow: gives way to other threads when the cores are busy.
    enum class Priority : std::uint8_t { kNormal, kLow };

    struct Options {
        std::size_t threads = 1;
        // For work that mostly waits: while all threads are busy, more are started, up to this
        // number; they end when there has been no work for them for a while.
        std::size_t threads_max = 0;
        std::size_t queue_max = SIZE_MAX;  // waiting work that try_post() accepts
        Priority priority = Priority::kNormal;
    };

    explicit ThreadPool(const Options& options);
    explicit ThreadPool(std::size_t threads) : ThreadPool(Options{.threads = threads}) {}
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;
    // Runs all work posted so far, then ends the threads.
    ~ThreadPool();

    // May be called from any thread, including from posted work.
    void post(std::function<void()> work);
    // Runs the work at that time or later, before it if the pool ends earlier.
    void post_at(std::chrono::steady_clock::time_point time, std::function<void()> work);
    // False, and the work is not taken, if too much is waiting.
    [[nodiscard]] bool try_post(std::function<void()> work);

    PoolStats stats() const;

private:
    // These need the mutex.
    void start_thread_if_needed();
    // False if the thread should end.
    bool wait_for_work(std::unique_lock<std::mutex>& lock, bool is_extra);
    bool has_work();
    void join_ended();

    void run(std::list<std::thread>::iterator self, bool is_extra);

    const Options options_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> queue_;
    std::multimap<std::chrono::steady_clock::time_point, std::function<void()>> later_;
    std::size_t idle_ = 0;
    std::size_t running_ = 0;
    std::uint64_t started_ = 0;
    std::uint64_t refused_ = 0;
    bool stopping_ = false;
    std::list<std::thread> threads_;
    std::list<std::thread> ended_;  // to be joined
};

// Lowers the priority of the calling thread for good: the system may not allow to raise it again.
void lower_thread_priority();

}  // namespace orrery
