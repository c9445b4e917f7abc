// A thread that does something again and again.

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "base/guarded.h"

namespace orrery::cluster {

// Wakes a thread that waits for its next step. May outlive the thread.
class Signal {
public:
    void wake() {
        {
            const std::lock_guard lock(mutex_);
            woken_ = true;
        }
        changed_.notify_one();
    }

private:
    friend class PeriodicThread;

    std::mutex mutex_;  // guards the flags
    std::condition_variable changed_;
    bool woken_ = false;
    bool stopping_ = false;
};

class PeriodicThread {
public:
    // Does a step, and returns how long to wait for the next one unless woken before.
    using Step = std::function<std::chrono::nanoseconds()>;

    PeriodicThread(std::shared_ptr<Signal> signal, Step step)
        : signal_(std::move(signal)), step_(std::move(step)), thread_([this] { run(); }) {}
    PeriodicThread(const PeriodicThread&) = delete;
    PeriodicThread& operator=(const PeriodicThread&) = delete;
    // Waits for the end of the step that is running.
    ~PeriodicThread() {
        {
            const std::lock_guard lock(signal_->mutex_);
            signal_->stopping_ = true;
        }
        signal_->changed_.notify_one();
        thread_.join();
    }

private:
    void run() {
        std::unique_lock lock(signal_->mutex_);
        while (!signal_->stopping_) {
            signal_->woken_ = false;
            lock.unlock();
            std::chrono::nanoseconds pause = std::chrono::seconds(1);
            const Status done = run_guarded("a step of the cluster", [&] {
                pause = step_();
                return Status();
            });
            static_cast<void>(done);  // logged if it failed; tried again
            lock.lock();
            signal_->changed_.wait_for(
                lock, pause, [this] { return signal_->stopping_ || signal_->woken_; });
        }
    }

    const std::shared_ptr<Signal> signal_;
    const Step step_;
    std::thread thread_;  // last: it uses the others
};

}  // namespace orrery::cluster
