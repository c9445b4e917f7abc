// An account that earns request units at a fixed rate and is debited for what operations cost.
//
// Nobody knows the cost of an operation beforehand. It may begin while the balance is positive and
// then finishes whatever it costs; the debt is repaid from what is earned, and until then nothing
// else may begin. In the long run no more is spent than was earned.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>

#include "throughput/meter.h"

namespace orrery::throughput {

// Under load, operations of low priority are refused first.
enum class Priority : std::uint8_t { kHigh, kLow };

struct Rate {
    double units_per_second = std::numeric_limits<double>::infinity();
    // Whether up to five minutes' worth of what is not used may be spent later, faster than at
    // this rate.
    bool burst = false;

    friend bool operator==(const Rate&, const Rate&) = default;
};

class Account {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    Account(const Rate& rate, TimePoint now);
    Account(const Account&) = delete;
    Account& operator=(const Account&) = delete;
    ~Account() = default;

    // Nothing if an operation may begin, else when to ask again. Those who are refused are given
    // different times, so that each finds something when it comes back.
    std::optional<std::chrono::milliseconds> refusal(Priority priority, TimePoint now);

    // The operation has cost that much.
    void spend(double units, TimePoint now);

    void set_rate(const Rate& rate, TimePoint now);

    struct Usage {
        Meter::Reading spent;
        std::uint64_t refused = 0;
        double rate = 0;
        double balance = 0;
        double last_second = 0;     // spent in the last full second
        double busiest_second = 0;  // of the last minute
    };
    Usage usage(TimePoint now);

private:
    static constexpr std::size_t kSecondsKept = 60;
    static constexpr std::size_t kPriorities = 2;

    // These require the mutex.
    void settle(TimePoint now);
    void earn(double seconds);
    void record(double spent, TimePoint now);
    void open_second(std::int64_t second);
    std::chrono::milliseconds promise(Priority priority, TimePoint now);

    double reserve(Priority priority) const;
    void settle_unless_busy(TimePoint now);

    Meter meter_;
    std::atomic<std::uint64_t> refused_ = 0;
    std::atomic<double> balance_;  // as of the last settlement
    std::atomic<double> rate_;
    std::atomic<TimePoint> settled_at_;

    std::mutex mutex_;
    bool burst_;
    double saved_ = 0;             // for bursts
    Meter::Reading settled_ = {};  // what the balance already contains
    double average_cost_ = 1;
    std::array<TimePoint, kPriorities> promised_until_{};
    std::int64_t second_ = 0;  // the newest that `spent_` covers
    std::array<double, kSecondsKept> spent_{};
};

}  // namespace orrery::throughput
