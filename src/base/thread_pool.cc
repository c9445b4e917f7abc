#include "base/thread_pool.h"

#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include "base/guarded.h"
#include "base/stopwatch.h"

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

void ThreadPool::post_at(std::chrono::steady_clock::time_point time, std::function<void()> work) {
    {
        const std::lock_guard lock(mutex_);
        later_.emplace(time, std::move(work));
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
        wait_for_work(lock);
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

void ThreadPool::wait_for_work(std::unique_lock<std::mutex>& lock) {
    for (;;) {
        const auto first = later_.begin();
        const bool is_due = first != later_.end() && (stopping_ || first->first <= monotonic_now());
        if (is_due) queue_.push_back(std::move(later_.extract(first).mapped()));
        if (!queue_.empty() || (stopping_ && later_.empty())) return;
        if (later_.empty()) {
            wake_.wait(lock);
        } else {
            // A copy: the work may be gone before this returns.
            const auto time = later_.begin()->first;
            wake_.wait_until(lock, time);
        }
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
