// When operations start, if not as soon as a connection is free. Both kinds take the time as an
// argument and are safe for use from all threads.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

namespace orrery::tools::bench {

using Time = std::chrono::steady_clock::time_point;

// An open loop: operations are due at a fixed rate, whether the server keeps up or not. Latencies
// count from the time an operation is due, so that waiting for a slow server is not left out.
class ArrivalSchedule {
public:
    ArrivalSchedule(Time start, double per_second);

    // When the next operation is due. Each caller gets one of its own.
    Time next();
    // How many have been due before `now` but were not taken.
    std::uint64_t overdue(Time now) const;

private:
    Time due(std::uint64_t number) const;

    const Time start_;
    const double per_second_;
    std::atomic<std::uint64_t> taken_{0};
};

// A closed loop that uses so many request units per second on average. What an operation costs is
// known only afterwards, so each starts on an estimate that is corrected later.
class RequestUnitPacer {
public:
    RequestUnitPacer(Time start, double per_second);

    struct Admission {
        Time at;  // when the operation may start
        double reserved = 0;
    };
    Admission admit(Time now);
    void settle(const Admission& admission, double charge);

private:
    std::chrono::nanoseconds time_of(double units) const;

    const double per_second_;
    std::mutex mutex_;  // guards what follows
    Time free_at_;      // when all that has been admitted is paid for
    double estimate_;   // of an operation
};

}  // namespace orrery::tools::bench
