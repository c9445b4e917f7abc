// Where randomness comes from: secure bytes for keys and ids, handed in so that tests can fix them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>

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

// A random version 4 GUID in lower case: "f81d4fae-7dec-41d0-8765-00a0c91e6bf6".
std::string make_guid(Random& random);

}  // namespace orrery
