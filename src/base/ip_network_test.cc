#include "base/ip_network.h"

#include <gtest/gtest.h>

namespace orrery {
namespace ip_network_test {

bool is_in(const char* network, const char* address) {
    const auto parsed = IpNetwork::parse(network);
    EXPECT_TRUE(parsed) << network;
    return parsed && parsed->contains(address);
}

TEST(IpNetwork, ContainsItsAddresses) {
    EXPECT_TRUE(is_in("10.0.0.0/8", "10.255.1.2"));
    EXPECT_FALSE(is_in("10.0.0.0/8", "11.0.0.1"));
    EXPECT_TRUE(is_in("192.168.1.128/25", "192.168.1.200"));
    EXPECT_FALSE(is_in("192.168.1.128/25", "192.168.1.127"));
    EXPECT_TRUE(is_in("1.2.3.4", "1.2.3.4"));
    EXPECT_FALSE(is_in("1.2.3.4", "1.2.3.5"));
    EXPECT_TRUE(is_in("0.0.0.0/0", "8.8.8.8"));
    EXPECT_FALSE(is_in("0.0.0.0/0", "2001:db8::1"));
    EXPECT_TRUE(is_in("2001:db8::/32", "2001:db8:ffff::1"));
    EXPECT_FALSE(is_in("2001:db8::/32", "2001:db9::1"));
    EXPECT_TRUE(is_in("::/0", "1.2.3.4"));
}

TEST(IpNetwork, TakesMappedAddressesForIpv4) {
    EXPECT_TRUE(is_in("10.0.0.0/8", "::ffff:10.1.2.3"));
    EXPECT_FALSE(is_in("10.0.0.0/8", "::ffff:11.1.2.3"));
    EXPECT_FALSE(is_in("10.0.0.0/8", ""));
    EXPECT_FALSE(is_in("10.0.0.0/8", "10.1"));
}

TEST(IpNetwork, ClientsAreIpv4AddressesAndIpv6Networks) {
    EXPECT_EQ(client_network("1.2.3.4"), client_network("::ffff:1.2.3.4"));
    EXPECT_NE(client_network("1.2.3.4"), client_network("1.2.3.5"));
    EXPECT_EQ(client_network("2001:db8:1:2::1"), client_network("2001:db8:1:2:ffff::9"));
    EXPECT_NE(client_network("2001:db8:1:2::1"), client_network("2001:db8:1:3::1"));
    EXPECT_EQ(client_network(""), "");
    EXPECT_EQ(client_network("unknown"), "");
}

TEST(IpNetwork, RefusesWhatIsNone) {
    for (const char* text : {"",
                             "/",
                             "10.0.0.0/",
                             "10.0.0.0/33",
                             "10.0.0.0/x",
                             "10.0.0.0/-1",
                             "10.1.0.0/8",
                             "10.0.0",
                             "::/129",
                             "fd00::1/8",
                             "host",
                             "1.2.3.4/8/8"}) {
        EXPECT_FALSE(IpNetwork::parse(text)) << text;
    }
}

}  // namespace ip_network_test
}  // namespace orrery
