// Counters for what happens often. Each thread adds in its own slot, on cache lines that no other
// core writes, so counting takes no lock and does not slow down other cores. Reading sums the slots
// and may miss what is being added at that moment.

#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/read_mostly.h"

namespace orrery::metrics {

// One number. Threads beyond kReadSlots share slots, so adding is atomic.
class Count {
public:
    void add(std::uint64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
    std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_ = 0;
};

// A copy of T for each slot. T should hold what a thread counts at the same time, so that it is on
// the same cache lines.
template <typename T>
class PerSlot {
public:
    // That of the calling thread.
    T& mine() { return slots_[read_slot()].value; }

    // `part` selects a Count of T.
    template <typename Part>
    std::uint64_t sum(Part part) const {
        std::uint64_t total = 0;
        for (const Slot& slot : slots_) {
            total += part(slot.value).value();
        }
        return total;
    }

private:
    struct alignas(kCacheLine) Slot {
        T value;
    };
    std::array<Slot, kReadSlots> slots_;
};

class Counter {
public:
    void add(std::uint64_t n = 1) { counts_.mine().add(n); }
    std::uint64_t value() const {
        return counts_.sum([](const Count& count) -> const Count& { return count; });
    }

private:
    PerSlot<Count> counts_;
};

// The upper bounds of the buckets of all histograms of times.
inline constexpr std::array<std::chrono::microseconds, 16> kTimeBounds = {
    std::chrono::microseconds(100),
    std::chrono::microseconds(250),
    std::chrono::microseconds(500),
    std::chrono::microseconds(1'000),
    std::chrono::microseconds(2'500),
    std::chrono::microseconds(5'000),
    std::chrono::microseconds(10'000),
    std::chrono::microseconds(25'000),
    std::chrono::microseconds(50'000),
    std::chrono::microseconds(100'000),
    std::chrono::microseconds(250'000),
    std::chrono::microseconds(500'000),
    std::chrono::seconds(1),
    std::chrono::microseconds(2'500'000),
    std::chrono::seconds(5),
    std::chrono::seconds(10)};

// What a histogram has counted. A bucket holds the times up to its bound that no smaller bucket
// holds; the last one those above all bounds.
struct Times {
    std::array<std::uint64_t, kTimeBounds.size() + 1> buckets{};
    std::chrono::nanoseconds sum{};

    std::uint64_t count() const {
        std::uint64_t total = 0;
        for (const std::uint64_t bucket : buckets) {
            total += bucket;
        }
        return total;
    }
};

// One slot of a histogram.
class TimeCounts {
public:
    void add(std::chrono::nanoseconds time) {
        const auto bound = std::find_if(
            kTimeBounds.begin(), kTimeBounds.end(), [&](auto max) { return time <= max; });
        buckets_[static_cast<std::size_t>(bound - kTimeBounds.begin())].add(1);
        nanoseconds_.add(static_cast<std::uint64_t>(time.count()));
    }
    const Count& bucket(std::size_t i) const { return buckets_[i]; }
    const Count& nanoseconds() const { return nanoseconds_; }

private:
    std::array<Count, kTimeBounds.size() + 1> buckets_;
    Count nanoseconds_;
};

// `part` selects the TimeCounts of a slot.
template <typename T, typename Part>
Times sum_times(const PerSlot<T>& slots, Part part) {
    Times times;
    for (std::size_t i = 0; i < times.buckets.size(); ++i) {
        times.buckets[i] =
            slots.sum([&](const T& slot) -> const Count& { return part(slot).bucket(i); });
    }
    times.sum = std::chrono::nanoseconds(
        slots.sum([&](const T& slot) -> const Count& { return part(slot).nanoseconds(); }));
    return times;
}

class Histogram {
public:
    void add(std::chrono::nanoseconds time) { counts_.mine().add(time); }
    Times times() const {
        return sum_times(counts_, [](const TimeCounts& slot) -> const TimeCounts& { return slot; });
    }

private:
    PerSlot<TimeCounts> counts_;
};

}  // namespace orrery::metrics
