// What one page of a query may use: time, work and memory. One object per page, passed by reference
// to everything that loops or allocates, so that all of it stops at the same limits. Not
// thread-safe.
//
// Loops count their work in units, each about what it takes to evaluate an expression or to read 64
// bytes. Counting costs a subtraction; the clock is read once in many units. When count() returns
// false the query has to stop: everything computed since the last true is meaningless. Whoever
// holds a result checks is_stopped() before using it.
//
// A page that runs out of time ends where it is (page_ended()), and its continuation token says
// where to go on, provided that it got further than where it started. Otherwise it runs until the
// time of the whole query is up, which is an error.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "base/memory_pool.h"
#include "base/pacer.h"
#include "base/result.h"
#include "base/stopwatch.h"

namespace orrery::sql {

// What it takes to read an index entry and to find an item by its number, in units.
inline constexpr std::uint64_t kEntryUnits = 4;
inline constexpr std::uint64_t kLoadUnits = 64;

class Budget {
public:
    using TimePoint = std::chrono::steady_clock::time_point;
    using Duration = std::chrono::steady_clock::duration;

    static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
    static constexpr std::uint64_t kUnitsPerLook = 4096;  // at the clock
    static constexpr std::uint64_t kBytesPerUnit = 64;
    static constexpr Duration kSlice = std::chrono::milliseconds(5);

    struct Limits {
        Duration page_time = Duration::max();
        Duration query_time = Duration::max();
        std::uint64_t work_max = kUnlimited;  // units
        bool may_go_on_elsewhere = false;     // more work than that: kWouldBlock instead of 400
        std::size_t memory_max = std::numeric_limits<std::size_t>::max();
        MemoryPool* pool = nullptr;  // shared with other queries; null: no shared maximum
        Pacer* pacer = nullptr;      // told of every kSlice; time it blocks counts for deadlines
        // Tests replace these.
        std::function<TimePoint()> now = monotonic_now;
        std::uint64_t units_per_look = kUnitsPerLook;
    };

    // Unlimited.
    Budget() = default;
    // The time starts now. The pool and the pacer must outlive it.
    explicit Budget(Limits limits);
    Budget(const Budget&) = delete;
    Budget& operator=(const Budget&) = delete;
    ~Budget();

    // False when the query has to stop.
    bool count(std::uint64_t units = 1) {
        if (units <= left_) [[likely]] {
            left_ -= units;
            return true;
        }
        return look(units);
    }
    // For work on so many bytes.
    bool count_bytes(std::size_t bytes) { return count(1 + bytes / kBytesPerUnit); }
    // For calls that may take long: looks at the clock.
    bool count_call() { return count(limits_.units_per_look); }

    // Counts memory before or after it is allocated; stops the query when there is too much.
    void take(std::size_t bytes) {
        memory_ += bytes;
        if (memory_ > granted_memory_) [[unlikely]]
            grow();
    }
    void give(std::size_t bytes) { memory_ -= bytes; }
    // Whether so much more fits; stops the query otherwise. For results of computed size.
    bool has_room(std::size_t bytes);

    bool is_stopped() const { return stop_ != Stop::kNone; }
    // Stopped by the page's time: continue on another page.
    bool page_ended() const { return stop_ == Stop::kPageTime; }
    // Why the query stopped; success while it has not.
    Status status() const;

    // Whether the page could be continued from where it is. Until this is set, progress does not
    // count. A page that has ended goes on when it may not.
    void let_page_end(bool may);
    // The next page would start further on than this one did.
    void progressed() {
        if (!may_end_) return;
        progressed_ = true;
        if (late_) [[unlikely]]
            stop(Stop::kPageTime);
    }

    bool has_progressed() const { return progressed_; }

    // While it exists, the page does not end: for work that must not be done by halves.
    class Atomic {
    public:
        explicit Atomic(Budget& budget)
            : budget_(budget), may_end_(budget.may_end_), progressed_(budget.progressed_) {
            budget.may_end_ = budget.progressed_ = false;
        }
        Atomic(const Atomic&) = delete;
        Atomic& operator=(const Atomic&) = delete;
        ~Atomic() {
            budget_.may_end_ = may_end_;
            budget_.progressed_ = progressed_;
        }

    private:
        Budget& budget_;
        const bool may_end_;
        const bool progressed_;
    };

private:
    enum class Stop : std::uint8_t {
        kNone,
        kPageTime,
        kQueryTime,
        kGivenUp,
        kWork,
        kMemory,
        kPool
    };

    bool look(std::uint64_t units);
    void look_at_clock();
    void grow();
    bool stop(Stop reason);

    Limits limits_{.units_per_look = kUnlimited};
    TimePoint page_end_ = TimePoint::max();
    TimePoint query_end_ = TimePoint::max();
    TimePoint slice_start_{};
    bool timed_ = false;
    std::uint64_t granted_ = kUnlimited;  // units until the next look
    std::uint64_t left_ = kUnlimited;     // of them
    std::uint64_t work_left_ = kUnlimited;
    std::size_t memory_ = 0;
    std::size_t granted_memory_ = std::numeric_limits<std::size_t>::max();
    std::size_t pooled_ = 0;  // taken from the pool
    Stop stop_ = Stop::kNone;
    bool may_end_ = false;
    bool progressed_ = false;
    bool late_ = false;  // the page's time is up
};

}  // namespace orrery::sql
