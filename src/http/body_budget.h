// Limits the total memory of all request bodies in progress: many clients within their own limits
// must not exhaust the machine.

#pragma once

#include <atomic>
#include <cstddef>

namespace orrery::http {

class BodyBudget {
public:
    explicit BodyBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

    // Thread-safe. Returns false, and takes nothing, if less is left.
    bool take(std::size_t bytes) {
        const std::size_t others = taken_.fetch_add(bytes, std::memory_order_relaxed);
        if (bytes <= bytes_max_ && others <= bytes_max_ - bytes) return true;
        give_back(bytes);
        return false;
    }
    void give_back(std::size_t bytes) { taken_.fetch_sub(bytes, std::memory_order_relaxed); }

    std::size_t taken() const { return taken_.load(std::memory_order_relaxed); }

private:
    const std::size_t bytes_max_;
    std::atomic<std::size_t> taken_{0};
};

}  // namespace orrery::http
