// The source of time. Code that needs the time takes a Clock, so that tests control it.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace orrery {

class Clock {
public:
    Clock() = default;
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;
    virtual ~Clock() = default;

    // Wall-clock time since the Unix epoch. May be called from any thread.
    virtual std::chrono::milliseconds now() const = 0;

    std::int64_t now_seconds() const {
        return std::chrono::duration_cast<std::chrono::seconds>(now()).count();
    }
};

class SystemClock final : public Clock {
public:
    std::chrono::milliseconds now() const override {
        return std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::system_clock::now().time_since_epoch());
    }
};

// A clock that moves only when advanced.
class ManualClock final : public Clock {
public:
    explicit ManualClock(std::chrono::milliseconds start) : now_(start.count()) {}

    std::chrono::milliseconds now() const override {
        return std::chrono::milliseconds(now_.load());
    }
    void advance(std::chrono::milliseconds by) { now_ += by.count(); }

private:
    std::atomic<std::int64_t> now_;
};

}  // namespace orrery
