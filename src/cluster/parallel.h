// Runs a few blocking calls at the same time: reading the objects of all nodes, or writing all
// shards after the loss of one, takes too long one after the other.

#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

#include "base/thread_pool.h"

namespace orrery::cluster {

class Parallel {
public:
    // With no threads, everything runs in the calling thread.
    explicit Parallel(std::size_t threads) {
        if (threads > 0) pool_ = std::make_unique<ThreadPool>(threads);
    }

    // Calls `work` with 0 to count - 1, in any order, and returns when all calls have.
    void run(std::size_t count, const std::function<void(std::size_t)>& work) {
        if (!pool_ || count < 2) {
            for (std::size_t i = 0; i < count; ++i)
                work(i);
            return;
        }
        std::mutex mutex;
        std::condition_variable done;
        std::size_t left = count;
        for (std::size_t i = 0; i < count; ++i) {
            pool_->post([&, i] {
                work(i);
                const std::lock_guard lock(mutex);
                if (--left == 0) done.notify_one();
            });
        }
        std::unique_lock lock(mutex);
        done.wait(lock, [&left] { return left == 0; });
    }

private:
    std::unique_ptr<ThreadPool> pool_;
};

}  // namespace orrery::cluster
