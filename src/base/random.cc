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

std::string make_guid(Random& random) {
    std::array<std::byte, 16> b{};
    random.fill(b);
    b[6] = (b[6] & std::byte{0x0f}) | std::byte{0x40};
    b[8] = (b[8] & std::byte{0x3f}) | std::byte{0x80};
    std::string out;
    out.reserve(36);
    for (std::size_t i = 0; i < b.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
        constexpr char kHex[] = "0123456789abcdef";
        out += kHex[std::to_integer<unsigned>(b[i]) >> 4];
        out += kHex[std::to_integer<unsigned>(b[i]) & 15];
    }
    return out;
}

}  // namespace orrery
