// Hashes: MurmurHash3 for effective partition keys, SHA-256 and its HMAC for signatures. The Murmur
// results decide where items live, so they are on disk in effect: never change them.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

namespace orrery {

struct Hash128 {
    std::uint64_t h1 = 0;
    std::uint64_t h2 = 0;

    bool operator==(const Hash128&) const = default;
};

Hash128 murmur3_x64_128(std::string_view bytes, std::uint32_t seed);
// With a separate seed for each half.
Hash128 murmur3_x64_128(std::string_view bytes, const Hash128& seed);
std::uint32_t murmur3_x86_32(std::string_view bytes, std::uint32_t seed);

using Sha256Digest = std::array<std::uint8_t, 32>;

// The digest's bytes, valid as long as the digest is.
std::string_view as_bytes(const Sha256Digest& digest);

Sha256Digest sha256(std::string_view bytes);

// A key whose two padded blocks are hashed once, so that signing costs only the text. Immutable:
// sign() may be called from any thread.
class HmacSha256Key {
public:
    explicit HmacSha256Key(std::string_view key);
    ~HmacSha256Key();
    HmacSha256Key(HmacSha256Key&&) noexcept;
    HmacSha256Key& operator=(HmacSha256Key&&) noexcept;
    HmacSha256Key(const HmacSha256Key&) = delete;
    HmacSha256Key& operator=(const HmacSha256Key&) = delete;

    Sha256Digest sign(std::string_view text) const;

private:
    struct State;
    std::unique_ptr<const State> state_;
};

}  // namespace orrery
