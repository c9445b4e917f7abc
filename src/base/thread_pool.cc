#include "base/thread_pool.h"

#include <algorithm>
#include <chrono>
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
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < options.threads; ++i) {
        threads_.emplace_front();
        const auto self = threads_.begin();
        *self = std::thread([this, self] { run(self, false); });
    }
}

ThreadPool::~ThreadPool() {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
    while (!threads_.empty()) {
        std::thread thread = std::move(threads_.front());
        threads_.pop_front();
        lock.unlock();
        thread.join();
        lock.lock();
    }
    join_ended();
}

void ThreadPool::post(std::function<void()> work) {
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(work));
        start_thread_if_needed();
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
        start_thread_if_needed();
    }
    wake_.notify_one();
    return true;
}

void ThreadPool::start_thread_if_needed() {
    if (queue_.size() <= idle_ || threads_.size() >= options_.threads_max || stopping_) return;
    join_ended();
    threads_.emplace_front();
    const auto self = threads_.begin();
    *self = std::thread([this, self] { run(self, true); });
}

void ThreadPool::join_ended() {
    for (std::thread& thread : ended_)
        thread.join();
    ended_.clear();
}

// Work that is due is queued first.
bool ThreadPool::has_work() {
    const auto first = later_.begin();
    const bool is_due = first != later_.end() && (stopping_ || first->first <= monotonic_now());
    if (is_due) queue_.push_back(std::move(later_.extract(first).mapped()));
    return !queue_.empty();
}

bool ThreadPool::wait_for_work(std::unique_lock<std::mutex>& lock, bool is_extra) {
    using TimePoint = std::chrono::steady_clock::time_point;
    constexpr std::chrono::seconds kIdleMax{10};
    const TimePoint end = is_extra ? monotonic_now() + kIdleMax : TimePoint::max();
    ++idle_;
    while (!has_work() && !stopping_ && monotonic_now() < end) {
        const TimePoint until = later_.empty() ? end : std::min(end, later_.begin()->first);
        if (until == TimePoint::max()) {
            wake_.wait(lock);
        } else {
            wake_.wait_until(lock, until);
        }
    }
    --idle_;
    return !queue_.empty();
}

void ThreadPool::run(std::list<std::thread>::iterator self, bool is_extra) {
    if (options_.priority == Priority::kLow) lower_thread_priority();
    std::unique_lock lock(mutex_);
    while (wait_for_work(lock, is_extra)) {
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
    // At the end of the pool, its destructor joins this thread.
    if (!stopping_) ended_.splice(ended_.end(), threads_, self);
}

PoolStats ThreadPool::stats() const {
    const std::lock_guard lock(mutex_);
    return {.threads = std::max(options_.threads, threads_.size()),
            .queued = queue_.size(),
            .queue_max = options_.queue_max,
            .running = running_,
            .started = started_,
            .refused = refused_};
}

}  // namespace orrery
