// Threads that run scripts, each with its own runtime, created on first use. JavaScript needs a
// large stack and may occupy its thread for seconds, so it runs on no other threads.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/pool_stats.h"
#include "script/engine.h"

namespace orrery::script {

struct PoolOptions {
    std::size_t threads = 2;
    // Limit of waiting jobs. More are refused, since they would time out anyway.
    std::size_t queue_max = 1024;
    // A thread idle for this long frees memory.
    std::chrono::milliseconds idle{1000};
    RuntimeOptions runtime = {};
};

class ScriptPool {
public:
    using Job = std::function<void(Runtime&)>;
    using Done = std::function<void(Outcome)>;

    ScriptPool(const RuntimeEnvironment& environment, const PoolOptions& options);
    ScriptPool(const ScriptPool&) = delete;
    ScriptPool& operator=(const ScriptPool&) = delete;
    // Runs all submitted jobs, then ends the threads.
    ~ScriptPool();

    // Runs the execution on a pool thread, which calls `done` with its outcome. The host must live
    // until then. kThrottled if too many wait; `done` is then not called.
    Status submit(Execution execution, ScriptHost& host, Done done);

    // Runs any work that needs a runtime, such as a query with UDFs; the work must not keep it.
    Status post(Job job);

    struct Stats {
        PoolStats threads;
        RunCounts counts;          // of the jobs that have ended
        std::uint64_t resets = 0;  // runtimes that were replaced after memory ran out
    };
    Stats stats() const;

private:
    class Thread;

    void run();
    // False if the pool is stopping.
    bool next(std::unique_lock<std::mutex>& lock, Runtime* runtime, Job& job);

    const RuntimeEnvironment environment_;
    const PoolOptions options_;
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> queue_;
    std::size_t running_ = 0;
    std::uint64_t started_ = 0;
    std::uint64_t refused_ = 0;
    std::uint64_t resets_ = 0;
    RunCounts counts_;
    bool stopping_ = false;
    std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace orrery::script
