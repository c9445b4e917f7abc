// A range of IP addresses such as 10.0.0.0/8 or fd00::/8; an address alone is a range of one.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

class IpNetwork {
public:
    // Nothing if the text is not an address with an optional prefix length, or has bits set beyond
    // that.
    static std::optional<IpNetwork> parse(std::string_view text);

    // False for a text that is not an address. IPv4 addresses in IPv6 (::ffff:1.2.3.4) are IPv4.
    bool contains(const std::string& address) const;

private:
    using Bytes = std::array<std::uint8_t, 16>;  // IPv4 as ::ffff:a.b.c.d

    Bytes address_{};
    unsigned bits_ = 0;  // of the prefix, in terms of IPv6
};

// The part of an address that one client has to itself: an IPv4 address, or the first 64 bits of an
// IPv6 address, of which a client can use all others. Empty if the text is not an address.
std::string client_network(const std::string& address);

}  // namespace orrery
