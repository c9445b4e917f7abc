#include "base/hash.h"

#include <bit>
#include <cstring>
#include <string>

#include <openssl/evp.h>

#include "base/check.h"

namespace orrery {

namespace {

static_assert(std::endian::native == std::endian::little, "the loads below assume little endian");

template <typename T>
T load(const char* from, std::size_t count = sizeof(T)) {
    T value = 0;
    std::memcpy(&value, from, count);
    return value;
}

std::uint64_t finalize(std::uint64_t k) {
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdULL;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53ULL;
    return k ^ k >> 33;
}

constexpr std::uint64_t kC1 = 0x87c37b91114253d5ULL;
constexpr std::uint64_t kC2 = 0x4cf5ad432745937fULL;

std::uint64_t scramble1(std::uint64_t k) { return std::rotl(k * kC1, 31) * kC2; }
std::uint64_t scramble2(std::uint64_t k) { return std::rotl(k * kC2, 33) * kC1; }
std::uint32_t scramble32(std::uint32_t k) { return std::rotl(k * 0xcc9e2d51U, 15) * 0x1b873593U; }

struct FreeContext {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

Context make_context() {
    Context context(EVP_MD_CTX_new());
    CHECK(context != nullptr);
    return context;
}

// Fetched once: EVP_sha256() looks the algorithm up again on every use.
const EVP_MD* sha256_algorithm() {
    static const EVP_MD* algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    CHECK(algorithm != nullptr);
    return algorithm;
}

void update(EVP_MD_CTX* context, std::string_view bytes) {
    CHECK(EVP_DigestUpdate(context, bytes.data(), bytes.size()) == 1);
}

Sha256Digest finish(EVP_MD_CTX* context) {
    Sha256Digest digest;
    CHECK(EVP_DigestFinal_ex(context, digest.data(), nullptr) == 1);
    return digest;
}

}  // namespace

Hash128 murmur3_x64_128(std::string_view bytes, std::uint32_t seed) {
    return murmur3_x64_128(bytes, Hash128{.h1 = seed, .h2 = seed});
}

Hash128 murmur3_x64_128(std::string_view bytes, const Hash128& seed) {
    auto [h1, h2] = seed;
    const std::uint64_t length = bytes.size();
    for (; bytes.size() >= 16; bytes.remove_prefix(16)) {
        h1 ^= scramble1(load<std::uint64_t>(bytes.data()));
        h1 = (std::rotl(h1, 27) + h2) * 5 + 0x52dce729;
        h2 ^= scramble2(load<std::uint64_t>(bytes.data() + 8));
        h2 = (std::rotl(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    if (bytes.size() > 8) {
        h2 ^= scramble2(load<std::uint64_t>(bytes.data() + 8, bytes.size() - 8));
        bytes = bytes.substr(0, 8);
    }
    if (!bytes.empty()) h1 ^= scramble1(load<std::uint64_t>(bytes.data(), bytes.size()));
    h1 ^= length;
    h2 ^= length;
    h1 += h2;
    h2 += h1;
    h1 = finalize(h1);
    h2 = finalize(h2);
    h1 += h2;
    h2 += h1;
    return {h1, h2};
}

std::uint32_t murmur3_x86_32(std::string_view bytes, std::uint32_t seed) {
    std::uint32_t h = seed;
    const auto length = static_cast<std::uint32_t>(bytes.size());
    for (; bytes.size() >= 4; bytes.remove_prefix(4)) {
        h = std::rotl(h ^ scramble32(load<std::uint32_t>(bytes.data())), 13) * 5 + 0xe6546b64U;
    }
    if (!bytes.empty()) h ^= scramble32(load<std::uint32_t>(bytes.data(), bytes.size()));
    h ^= length;
    h = (h ^ h >> 16) * 0x85ebca6bU;
    h = (h ^ h >> 13) * 0xc2b2ae35U;
    return h ^ h >> 16;
}

std::string_view as_bytes(const Sha256Digest& digest) {
    return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Sha256Digest sha256(std::string_view bytes) {
    Sha256Digest digest;
    CHECK(EVP_Digest(
              bytes.data(), bytes.size(), digest.data(), nullptr, sha256_algorithm(), nullptr) ==
          1);
    return digest;
}

struct HmacSha256Key::State {
    Context inner = make_context();
    Context outer = make_context();
};

HmacSha256Key::HmacSha256Key(std::string_view key) {
    constexpr std::size_t kBlockBytes = 64;
    std::string block(key);
    if (key.size() > kBlockBytes) block = as_bytes(sha256(key));
    block.resize(kBlockBytes, '\0');

    State state;
    for (const auto& [context, pad] :
         {std::pair(state.inner.get(), 0x36), {state.outer.get(), 0x5c}}) {
        std::string padded = block;
        for (char& c : padded) {
            c = static_cast<char>(c ^ pad);
        }
        CHECK(EVP_DigestInit_ex2(context, sha256_algorithm(), nullptr) == 1);
        update(context, padded);
    }
    state_ = std::make_unique<const State>(std::move(state));
}

HmacSha256Key::~HmacSha256Key() = default;
HmacSha256Key::HmacSha256Key(HmacSha256Key&&) noexcept = default;
HmacSha256Key& HmacSha256Key::operator=(HmacSha256Key&&) noexcept = default;

Sha256Digest HmacSha256Key::sign(std::string_view text) const {
    // The key's state is only copied, never updated, so threads can share it.
    thread_local Context scratch = make_context();
    CHECK(EVP_MD_CTX_copy_ex(scratch.get(), state_->inner.get()) == 1);
    update(scratch.get(), text);
    const Sha256Digest inner = finish(scratch.get());
    CHECK(EVP_MD_CTX_copy_ex(scratch.get(), state_->outer.get()) == 1);
    update(scratch.get(), as_bytes(inner));
    return finish(scratch.get());
}

}  // namespace orrery
