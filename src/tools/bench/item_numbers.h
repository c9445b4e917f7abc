// The numbers of a container's items. Items are added concurrently, and only those below the first
// one that is still under way count as existing, as YCSB does it.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <queue>
#include <vector>

namespace orrery::tools::bench {

// Safe for use from all threads.
class ItemNumbers {
public:
    explicit ItemNumbers(std::uint64_t existing) : next_(existing), limit_(existing) {}

    // For an item that is added now. Call settle() for it afterwards, whatever became of it.
    std::uint64_t take() { return next_++; }
    void settle(std::uint64_t number);

    // All below it exist.
    std::uint64_t limit() const { return limit_; }
    // Of the next item to be added.
    std::uint64_t next() const { return next_; }

private:
    using Numbers = std::vector<std::uint64_t>;

    std::atomic<std::uint64_t> next_;
    std::atomic<std::uint64_t> limit_;
    std::mutex mutex_;  // guards what follows, and changes of limit_
    std::priority_queue<std::uint64_t, Numbers, std::greater<>> settled_;  // from limit_ up
};

}  // namespace orrery::tools::bench
