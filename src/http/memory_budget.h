// Limits the memory that all connections together hold for one purpose: many clients within their
// own limits must not exhaust the machine.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace orrery::http {

// Thread-safe.
class MemoryBudget {
public:
    explicit MemoryBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    // Returns false, and takes nothing, if less is left.
    bool take(std::size_t bytes) {
        const std::size_t others = taken_.fetch_add(bytes, std::memory_order_relaxed);
        if (bytes <= bytes_max_ && others <= bytes_max_ - bytes) return true;
        give_back(bytes);
        refusals_.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    // Counts memory that is already in use, even if that exceeds the budget.
    void add(std::size_t bytes) { taken_.fetch_add(bytes, std::memory_order_relaxed); }
    void give_back(std::size_t bytes) { taken_.fetch_sub(bytes, std::memory_order_relaxed); }

    std::size_t max() const { return bytes_max_; }
    std::size_t taken() const { return taken_.load(std::memory_order_relaxed); }
    bool exceeded() const { return taken() > bytes_max_; }
    // How often take() has returned false.
    std::uint64_t refusals() const { return refusals_.load(std::memory_order_relaxed); }

private:
    const std::size_t bytes_max_;
    std::atomic<std::size_t> taken_{0};
    std::atomic<std::uint64_t> refusals_{0};
};

// The part of a budget that one connection holds. The budget must outlive it.
class MemoryHold {
public:
    explicit MemoryHold(MemoryBudget& budget) : budget_(budget) {}
    MemoryHold(const MemoryHold&) = delete;
    MemoryHold& operator=(const MemoryHold&) = delete;
    ~MemoryHold() { release(); }

    // Holds at least this much; false, and unchanged, if the budget has less.
    bool grow_to(std::size_t bytes) {
        if (bytes <= bytes_) return true;
        if (!budget_.take(bytes - bytes_)) return false;
        bytes_ = bytes;
        return true;
    }
    void add(std::size_t bytes) {
        budget_.add(bytes);
        bytes_ += bytes;
    }
    void release() {
        if (bytes_ > 0) budget_.give_back(std::exchange(bytes_, 0));
    }
    bool empty() const { return bytes_ == 0; }

private:
    MemoryBudget& budget_;
    std::size_t bytes_ = 0;
};

}  // namespace orrery::http
