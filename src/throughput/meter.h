// Counts request units and requests. Many threads add at once, each to its own cache line.

#pragma once

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "base/read_mostly.h"

namespace orrery::throughput {

class Meter {
public:
    struct Reading {
        double units = 0;
        std::uint64_t requests = 0;
    };

    // Returns how many times the thread's sum has passed a multiple of kSample, for those who look
    // only at a sample of all requests, in proportion to what they cost.
    static constexpr std::uint64_t kSample = 20;
    std::uint64_t add(double units) {
        constexpr std::uint64_t kStep = kSample * 100;
        Slot& slot = slots_[read_slot()];
        const auto hundredths = static_cast<std::uint64_t>(std::lround(units * kHundredths));
        const std::uint64_t before =
            slot.hundredths.fetch_add(hundredths, std::memory_order_relaxed);
        slot.requests.fetch_add(1, std::memory_order_relaxed);
        return (before + hundredths) / kStep - before / kStep;
    }

    Reading read() const {
        std::uint64_t hundredths = 0;
        Reading sum;
        for (const Slot& slot : slots_) {
            hundredths += slot.hundredths.load(std::memory_order_relaxed);
            sum.requests += slot.requests.load(std::memory_order_relaxed);
        }
        sum.units = static_cast<double>(hundredths) / kHundredths;
        return sum;
    }

private:
    // Charges have two decimals.
    static constexpr double kHundredths = 100;
    struct alignas(kCacheLine) Slot {
        std::atomic<std::uint64_t> hundredths = 0;
        std::atomic<std::uint64_t> requests = 0;
    };
    std::array<Slot, kReadSlots> slots_;
};

}  // namespace orrery::throughput
