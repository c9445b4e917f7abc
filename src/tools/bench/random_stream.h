// Fast repeatable random numbers (SplitMix64). Any two seeds give unrelated streams, so a stream
// can be made for a single value.

#pragma once

#include <cstdint>

namespace orrery::tools::bench {

constexpr std::uint64_t scrambled(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30U)) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ (bits >> 27U)) * UINT64_C(0x94D049BB133111EB);
    return bits ^ (bits >> 31U);
}

class RandomStream {
public:
    explicit RandomStream(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += kStep;
        return scrambled(state_);
    }
    // In [0, limit). The bias is at most limit / 2^64.
    std::uint64_t below(std::uint64_t limit) { return next() % limit; }
    // In [0, 1).
    double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

    // A seed that depends on both.
    static std::uint64_t combined(std::uint64_t seed, std::uint64_t more) {
        return scrambled(seed + kStep * (more + 1));
    }

private:
    static constexpr std::uint64_t kStep = UINT64_C(0x9E3779B97F4A7C15);

    std::uint64_t state_;
};

}  // namespace orrery::tools::bench
