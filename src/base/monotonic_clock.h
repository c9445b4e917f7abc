// A clock for leases: it never goes back, and it goes on while the machine is suspended.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>

namespace orrery {

class MonotonicClock {
public:
    MonotonicClock() = default;
    MonotonicClock(const MonotonicClock&) = delete;
    MonotonicClock& operator=(const MonotonicClock&) = delete;
    virtual ~MonotonicClock() = default;

    // Time since some moment in the past, the same for the life of the process. May be called from
    // any thread.
    virtual std::chrono::nanoseconds now() const = 0;
};

// The time since the machine was booted. Unlike CLOCK_MONOTONIC, which std::chrono::steady_clock
// uses, it counts the time in which the machine was suspended.
class BootClock final : public MonotonicClock {
public:
    std::chrono::nanoseconds now() const override {
        timespec time{};
        clock_gettime(CLOCK_BOOTTIME, &time);
        return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    }
};

// A clock that moves only when advanced.
class ManualMonotonicClock final : public MonotonicClock {
public:
    std::chrono::nanoseconds now() const override { return std::chrono::nanoseconds(now_.load()); }
    void advance(std::chrono::nanoseconds by) { now_ += by.count(); }

private:
    std::atomic<std::int64_t> now_ = 0;
};

}  // namespace orrery
