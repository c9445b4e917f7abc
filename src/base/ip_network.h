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

    static std::optional<Bytes> bytes_of(const std::string& address);

    Bytes address_{};
    unsigned bits_ = 0;  // of the prefix, in terms of IPv6
};

}  // namespace orrery
