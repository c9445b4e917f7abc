#include "base/percent.h"

#include <string>

#include <gtest/gtest.h>

namespace orrery {
namespace percent_test {

TEST(Percent, DecodesWhatSdksSend) {
    // The JS SDK's encoding of the id `a b+é%`.
    EXPECT_EQ(percent_decode("a%20b+%C3%A9%25"), "a b+\u00e9%");
    EXPECT_EQ(percent_decode("%2f%2F"), "//");
    EXPECT_EQ(percent_decode("%00"), std::string(1, '\0'));
    EXPECT_EQ(percent_decode(""), "");
    EXPECT_EQ(percent_decode("%2525"), "%25") << "decoded once, not twice";
}

TEST(Percent, RefusesMalformedEscapes) {
    for (const char* text : {"%", "a%", "%4", "%4g", "%g4", "%%20", "% 4", "%-1", "%+1", "%0x41"}) {
        EXPECT_EQ(percent_decode(text), std::nullopt) << text;
    }
}

TEST(Percent, EncodesAllButUnreserved) {
    EXPECT_EQ(percent_encode("AZaz09-._~"), "AZaz09-._~");
    EXPECT_EQ(percent_encode("a(b) c!", "()!"), "a(b)%20c!");
    EXPECT_EQ(percent_encode("a b+/\u00e9%"), "a%20b%2B%2F%C3%A9%25");
}

TEST(Percent, EveryByteRoundTrips) {
    std::string bytes;
    for (int i = 0; i < 256; ++i) {
        bytes += static_cast<char>(i);
    }
    EXPECT_EQ(percent_decode(percent_encode(bytes)), bytes);
}

}  // namespace percent_test
}  // namespace orrery
