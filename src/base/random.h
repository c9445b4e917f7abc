// The source of randomness: secure bytes for keys and ids, passed in so that tests can fix them.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>

#include "base/read_mostly.h"

namespace orrery {

class Random {
public:
    Random() = default;
    Random(const Random&) = delete;
    Random& operator=(const Random&) = delete;
    virtual ~Random() = default;

    // May be called from any thread.
    virtual void fill(std::span<std::byte> bytes) = 0;

    std::string bytes(std::size_t count);
};

// Bytes from the operating system's secure generator.
class SecureRandom final : public Random {
public:
    void fill(std::span<std::byte> bytes) override;
};

// Repeatable bytes, for tests only; not thread-safe.
class SeededRandom final : public Random {
public:
    explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}
    void fill(std::span<std::byte> bytes) override;

private:
    std::mt19937_64 engine_;
};

// Distinct GUIDs derived from one random start: for names that must be unique but not secret,
// without a call into the secure generator for each.
class GuidSequence {
public:
    explicit GuidSequence(Random& random);

    // "f81d4fae-7dec-41d0-8765-00a0c91e6bf6", in version 4 form. May be called from any thread.
    std::string next();

private:
    std::uint64_t high_ = 0;
    // Each slot takes every kReadSlots-th number, so that threads do not share a counter.
    struct alignas(kCacheLine) Slot {
        std::atomic<std::uint64_t> low{0};
    };
    std::array<Slot, kReadSlots> slots_;
};

}  // namespace orrery
