#include "script/watchdog.h"

#include "base/check.h"

namespace orrery::script {

Watchdog::Watchdog(std::chrono::milliseconds interval)
    : interval_(interval), thread_([this] { run(); }) {}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(mutex_);
        CHECK(watched_.empty());
        stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

void Watchdog::run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        if (watched_.empty()) {
            asleep_ = true;
            wake_.wait(lock, [this] { return stopping_ || !watched_.empty(); });
            asleep_ = false;
        }
        wake_.wait_for(lock, interval_, [this] { return stopping_; });
        for (const auto& poke : watched_) {
            poke();
        }
    }
}

Watchdog::Guard::Guard(Watchdog& watchdog, std::function<void()> poke) : watchdog_(watchdog) {
    bool must_wake = false;
    {
        const std::lock_guard lock(watchdog_.mutex_);
        must_wake = watchdog_.asleep_;
        entry_ = watchdog_.watched_.insert(watchdog_.watched_.end(), std::move(poke));
    }
    if (must_wake) watchdog_.wake_.notify_all();
}

Watchdog::Guard::~Guard() {
    const std::lock_guard lock(watchdog_.mutex_);
    watchdog_.watched_.erase(entry_);
}

}  // namespace orrery::script
