#include "base/ip_network.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>

namespace orrery {

namespace {

constexpr unsigned kV4Bits = 32;
constexpr unsigned kV6Bits = 128;

using Bytes = std::array<std::uint8_t, 16>;
constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

std::optional<Bytes> bytes_of(const std::string& address) {
    Bytes out{};
    if (inet_pton(AF_INET6, address.c_str(), out.data()) == 1) return out;
    std::array<std::uint8_t, 4> four{};
    if (inet_pton(AF_INET, address.c_str(), four.data()) != 1) return std::nullopt;
    std::copy(kMapped.begin(), kMapped.end(), out.begin());
    std::copy(four.begin(), four.end(), out.begin() + kMapped.size());
    return out;
}

template <std::size_t kSize>
bool same_prefix(const std::array<std::uint8_t, kSize>& a,
                 const std::array<std::uint8_t, kSize>& b,
                 unsigned bits) {
    const unsigned whole = bits / 8;
    if (!std::equal(a.begin(), a.begin() + whole, b.begin())) return false;
    if (bits % 8 == 0) return true;
    const unsigned shift = 8 - bits % 8;
    return a[whole] >> shift == b[whole] >> shift;
}

}  // namespace

std::optional<IpNetwork> IpNetwork::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::string address(text.substr(0, slash));
    const auto bytes = bytes_of(address);
    if (!bytes) return std::nullopt;
    const unsigned longest = address.find(':') == std::string::npos ? kV4Bits : kV6Bits;
    unsigned bits = longest;
    if (slash != std::string_view::npos) {
        const std::string_view number = text.substr(slash + 1);
        const char* const end = number.data() + number.size();
        const auto [stopped, error] = std::from_chars(number.data(), end, bits);
        if (error != std::errc() || stopped != end || bits > longest) return std::nullopt;
    }
    IpNetwork out;
    out.address_ = *bytes;
    out.bits_ = bits + (kV6Bits - longest);
    // 10.1.2.3/8 is probably a mistake.
    Bytes prefix{};
    for (unsigned i = 0; i < out.bits_; ++i) {
        prefix[i / 8] =
            static_cast<std::uint8_t>(prefix[i / 8] | ((*bytes)[i / 8] & 0x80U >> i % 8));
    }
    if (prefix != *bytes) return std::nullopt;
    return out;
}

bool IpNetwork::contains(const std::string& address) const {
    const auto bytes = bytes_of(address);
    return bytes && same_prefix(address_, *bytes, bits_);
}

std::string client_network(const std::string& address) {
    constexpr std::size_t kNetworkBytes = 8;
    const auto bytes = bytes_of(address);
    if (!bytes) return {};
    const bool v4 = std::equal(kMapped.begin(), kMapped.end(), bytes->begin());
    return {bytes->begin(), v4 ? bytes->end() : bytes->begin() + kNetworkBytes};
}

}  // namespace orrery
