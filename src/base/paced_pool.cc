#include "base/paced_pool.h"

#include <algorithm>
#include <utility>

#include "base/guarded.h"
#include "base/thread_pool.h"

namespace orrery {

// One piece of running work.
class PacedPool::Turn final : public Pacer {
public:
    explicit Turn(PacedPool& pool) : pool_(pool) {}

    bool slice_used() override {
        std::unique_lock lock(pool_.mutex_);
        if (!is_slow) return pool_.enter_slow_lane(*this, lock);
        pool_.take_turns(*this, lock);
        return true;
    }

    bool is_slow = false;
    bool has_slot = false;

private:
    PacedPool& pool_;
};

PacedPool::PacedPool(const Options& options) : options_(options), slow_free_(options.slow) {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < options_.fast; ++i) {
        start_thread();
    }
}

PacedPool::~PacedPool() {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    work_or_end_.notify_all();
    ended_change_.wait(lock, [this] { return threads_.empty(); });
    join_ended();
}

bool PacedPool::try_post(Work work) {
    {
        const std::lock_guard lock(mutex_);
        if (queue_.size() >= options_.queue_max) {
            ++refused_;
            return false;
        }
        queue_.push_back(std::move(work));
    }
    work_or_end_.notify_one();
    return true;
}

void PacedPool::start_thread() {
    const auto self = threads_.emplace(threads_.end());
    try {
        *self = std::thread([this, self] { run(self); });
    } catch (...) {
        threads_.erase(self);
        throw;
    }
}

// These threads have left the mutex for the last time, or are about to.
void PacedPool::join_ended() {
    for (std::thread& thread : ended_) {
        thread.join();
    }
    ended_.clear();
}

void PacedPool::run(Threads::iterator self) {
    std::unique_lock lock(mutex_);
    for (bool slow = false; !slow;) {
        work_or_end_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (queue_.empty()) break;
        Work work = std::move(queue_.front());
        queue_.pop_front();
        ++running_;
        ++started_;
        lock.unlock();
        Turn turn(*this);
        static_cast<void>(run_guarded("paced work", [&]() -> Status {
            work(turn);
            return {};
        }));
        work = nullptr;  // what it holds is released before the next wait
        lock.lock();
        --running_;
        if (turn.has_slot) leave_slow_lane();
        // A thread of lower priority cannot return to the fast lane.
        slow = turn.is_slow;
    }
    ended_.splice(ended_.end(), threads_, self);
    ended_change_.notify_all();
}

bool PacedPool::enter_slow_lane(Turn& turn, std::unique_lock<std::mutex>& lock) {
    if (in_slow_ >= options_.slow_max) {
        ++refused_slow_;
        return false;
    }
    join_ended();
    start_thread();  // takes this one's place in the fast lane
    turn.is_slow = true;
    ++in_slow_;
    ++started_slow_;
    lower_thread_priority();
    if (slow_free_ > 0) {
        --slow_free_;
        turn.has_slot = true;
        return true;
    }
    waiting_.push_back(&turn);
    turns_.wait(lock, [&] { return turn.has_slot; });
    return true;
}

void PacedPool::take_turns(Turn& turn, std::unique_lock<std::mutex>& lock) {
    if (waiting_.empty()) return;
    turn.has_slot = false;
    waiting_.front()->has_slot = true;
    waiting_.pop_front();
    waiting_.push_back(&turn);
    turns_.notify_all();
    turns_.wait(lock, [&] { return turn.has_slot; });
}

void PacedPool::leave_slow_lane() {
    --in_slow_;
    if (waiting_.empty()) {
        ++slow_free_;
        return;
    }
    waiting_.front()->has_slot = true;
    waiting_.pop_front();
    turns_.notify_all();
}

PacedPool::Stats PacedPool::stats() const {
    const std::lock_guard lock(mutex_);
    const std::size_t waiting = waiting_.size();
    const std::size_t may_wait = options_.slow_max - std::min(options_.slow_max, options_.slow);
    return {.fast = {.threads = options_.fast,
                     .queued = queue_.size(),
                     .queue_max = options_.queue_max,
                     .running = running_ - in_slow_,
                     .started = started_,
                     .refused = refused_},
            .slow = {.threads = options_.slow,
                     .queued = waiting,
                     .queue_max = may_wait,
                     .running = in_slow_ - waiting,
                     .started = started_slow_,
                     .refused = refused_slow_}};
}

}  // namespace orrery
