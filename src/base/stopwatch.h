// Measures durations with the monotonic clock.

#pragma once

#include <chrono>

namespace orrery {

// The monotonic clock, for deadlines. Take it as a function where tests must control the time.
inline std::chrono::steady_clock::time_point monotonic_now() {
    return std::chrono::steady_clock::now();
}

// Measures the time since its construction.
class Timer {
public:
    std::chrono::nanoseconds elapsed() const { return std::chrono::steady_clock::now() - start_; }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Adds its lifetime to a sum, if `wanted`.
class Stopwatch {
public:
    Stopwatch(bool wanted, std::chrono::nanoseconds& sum) : sum_(wanted ? &sum : nullptr) {
        if (sum_ != nullptr) start_ = std::chrono::steady_clock::now();
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;
    ~Stopwatch() {
        if (sum_ != nullptr) *sum_ += std::chrono::steady_clock::now() - start_;
    }

private:
    std::chrono::nanoseconds* sum_;
    std::chrono::steady_clock::time_point start_;
};

}  // namespace orrery
