// Counts latencies in buckets that grow with the value, so that every quantile is accurate to 1.6 %
// at any scale, in constant memory.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace orrery {

class Histogram {
public:
    void add(std::chrono::nanoseconds latency) {
        const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(latency.count(), 0));
        ++buckets_[bucket_of(value)];
        ++count_;
        max_ = std::max(max_, value);
    }

    void add(const Histogram& other) {
        for (std::size_t i = 0; i < buckets_.size(); ++i) {
            buckets_[i] += other.buckets_[i];
        }
        count_ += other.count_;
        max_ = std::max(max_, other.max_);
    }

    std::uint64_t count() const { return count_; }
    std::chrono::nanoseconds max() const { return std::chrono::nanoseconds(max_); }

    // The latency that `share` of all do not exceed, 0 < share <= 1.
    std::chrono::nanoseconds quantile(double share) const {
        const double wanted = share * static_cast<double>(count_);
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < buckets_.size(); ++i) {
            seen += buckets_[i];
            if (seen > 0 && static_cast<double>(seen) >= wanted) {
                return std::chrono::nanoseconds(std::min(upper_end(i), max_));
            }
        }
        return max();
    }

private:
    // Below 128 every value has its own bucket; above, every power of two has 64 of them.
    static constexpr unsigned kBits = 6;
    static constexpr std::uint64_t kHalf = 1U << kBits;

    static std::size_t bucket_of(std::uint64_t value) {
        if (value < 2 * kHalf) return value;
        const auto shift = static_cast<unsigned>(std::bit_width(value)) - kBits - 1;
        return shift * kHalf + (value >> shift);
    }
    static std::uint64_t upper_end(std::size_t bucket) {
        if (bucket < 2 * kHalf) return bucket;
        const auto shift = static_cast<unsigned>(bucket / kHalf) - 1;
        const std::uint64_t lead = bucket - shift * kHalf;
        return ((lead + 1) << shift) - 1;
    }

    std::array<std::uint64_t, (64 - kBits + 1) * kHalf> buckets_{};
    std::uint64_t count_ = 0;
    std::uint64_t max_ = 0;
};

}  // namespace orrery
