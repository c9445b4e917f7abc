#include "base/random.h"

#include <array>

#include <openssl/rand.h>

#include "base/check.h"

namespace orrery {

std::string Random::bytes(std::size_t count) {
    std::string out(count, '\0');
    fill(std::as_writable_bytes(std::span(out)));
    return out;
}

void SecureRandom::fill(std::span<std::byte> bytes) {
    CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()),
                     static_cast<int>(bytes.size())) == 1);
}

void SeededRandom::fill(std::span<std::byte> bytes) {
    for (std::byte& b : bytes) {
        b = static_cast<std::byte>(engine_());
    }
}

// An odd step far from a power of two: visits every value once, with neighbours far apart.
constexpr std::uint64_t kGuidStep = 0x9e3779b97f4a7c15;

GuidSequence::GuidSequence(Random& random) {
    std::uint64_t low = 0;
    random.fill(std::as_writable_bytes(std::span(&high_, 1)));
    random.fill(std::as_writable_bytes(std::span(&low, 1)));
    for (Slot& slot : slots_) {
        slot.low = low;
        low += kGuidStep;
    }
}

std::string GuidSequence::next() {
    constexpr char kHex[] = "0123456789abcdef";
    constexpr std::uint64_t kVersionMask = 0xf000;
    constexpr std::uint64_t kVersion4 = 0x4000;
    constexpr std::uint64_t kVariantMask = std::uint64_t{0xc} << 60;
    constexpr std::uint64_t kVariant = std::uint64_t{0x8} << 60;
    const std::uint64_t low =
        slots_[read_slot()].low.fetch_add(kReadSlots * kGuidStep, std::memory_order_relaxed);
    // The two bits of the low half that the variant replaces go into the high half.
    const std::uint64_t high = ((high_ ^ low >> 62 << 62) & ~kVersionMask) | kVersion4;
    const std::array halves = {high, (low & ~kVariantMask) | kVariant};
    std::string out(36, '-');
    std::size_t at = 0;
    for (const std::uint64_t half : halves) {
        for (int shift = 60; shift >= 0; shift -= 4) {
            if (at == 8 || at == 13 || at == 18 || at == 23) ++at;
            out[at++] = kHex[half >> shift & 15];
        }
    }
    return out;
}

}  // namespace orrery
