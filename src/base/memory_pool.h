// A maximum of memory that several users share: they take bytes before they use them and give them
// back afterwards. Only counts; allocates nothing. May be used from any thread.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace orrery {

class MemoryPool {
public:
    explicit MemoryPool(std::size_t bytes_max) : max_(bytes_max) {}
    MemoryPool(const MemoryPool&) = delete;
    MemoryPool& operator=(const MemoryPool&) = delete;
    ~MemoryPool() = default;

    // False, and nothing is taken, when fewer are left.
    bool take(std::size_t bytes) {
        std::size_t used = used_.load(std::memory_order_relaxed);
        do {
            if (bytes > max_ - used) {
                refusals_.fetch_add(1, std::memory_order_relaxed);
                return false;
            }
        } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
        return true;
    }
    void give(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

    std::size_t max() const { return max_; }
    // How often take() has returned false.
    std::uint64_t refusals() const { return refusals_.load(std::memory_order_relaxed); }
    std::size_t used() const { return used_.load(std::memory_order_relaxed); }

private:
    const std::size_t max_;
    std::atomic<std::size_t> used_ = 0;  // never above max_
    std::atomic<std::uint64_t> refusals_ = 0;
};

}  // namespace orrery
