#include "base/thread_pool.h"

#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include "base/guarded.h"

namespace orrery {

void lower_thread_priority() {
    constexpr int kNice = 10;
    // On Linux this concerns one thread. A failure only means less priority for others.
    static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice));
}

ThreadPool::ThreadPool(const Options& options) : options_(options) {
    threads_.reserve(options.threads);
    for (std::size_t i = 0; i < options.threads; ++i) {
        threads_.emplace_back([this] { run(); });
    }
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void ThreadPool::post(std::function<void()> work) {
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(work));
    }
    wake_.notify_one();
}

bool ThreadPool::try_post(std::function<void()> work) {
    {
        const std::lock_guard lock(mutex_);
        if (queue_.size() >= options_.queue_max) {
            ++refused_;
            return false;
        }
        queue_.push_back(std::move(work));
    }
    wake_.notify_one();
    return true;
}

void ThreadPool::run() {
    if (options_.priority == Priority::kLow) lower_thread_priority();
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (queue_.empty()) return;
        std::function<void()> work = std::move(queue_.front());
        queue_.pop_front();
        ++running_;
        ++started_;
        lock.unlock();
        static_cast<void>(run_guarded("pool work", [&]() -> Status {
            work();
            return {};
        }));
        work = nullptr;  // what it holds is released before the next wait
        lock.lock();
        --running_;
    }
}

PoolStats ThreadPool::stats() const {
    const std::lock_guard lock(mutex_);
    return {.threads = options_.threads,
            .queued = queue_.size(),
            .queue_max = options_.queue_max,
            .running = running_,
            .started = started_,
            .refused = refused_};
}

}  // namespace orrery
