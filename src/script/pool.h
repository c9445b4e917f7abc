// Threads that run scripts, each with a runtime of its own that is made when it is first needed.
// JavaScript wants a large stack and may keep its thread for seconds, so it never runs on any
// other.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "script/engine.h"

namespace orrery::script {

struct PoolOptions {
    std::size_t threads = 2;
    // Jobs that may wait. Beyond, a job is refused: they would time out anyway.
    std::size_t queue_max = 1024;
    // With nothing to do for this long, a thread gives memory back.
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
    // Runs what has been submitted, then ends the threads.
    ~ScriptPool();

    // Runs the execution on a thread of the pool, where `done` is called with its outcome. The host
    // must live until then. kThrottled: too many wait; `done` will not be called.
    Status submit(Execution execution, ScriptHost& host, Done done);

    // Runs any work that needs a runtime, such as a query with UDFs; the work must not keep it.
    Status post(Job job);

private:
    class Thread;

    void run();
    // False: the pool is being closed.
    bool next(std::unique_lock<std::mutex>& lock, Runtime* runtime, Job& job);

    const RuntimeEnvironment environment_;
    const PoolOptions options_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> queue_;
    bool stopping_ = false;
    std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace orrery::script
