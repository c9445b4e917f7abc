#include "base/base64.h"

#include <string>

#include <gtest/gtest.h>

namespace orrery {
namespace base64_test {

// RFC 4648 §10.
TEST(Base64, Rfc4648Examples) {
    const std::pair<std::string, std::string> examples[] = {{"", ""},
                                                            {"f", "Zg=="},
                                                            {"fo", "Zm8="},
                                                            {"foo", "Zm9v"},
                                                            {"foob", "Zm9vYg=="},
                                                            {"fooba", "Zm9vYmE="},
                                                            {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : examples) {
        EXPECT_EQ(base64_encode(bytes), text);
        EXPECT_EQ(base64_decode(text), bytes);
    }
}

TEST(Base64, EveryByteAndLengthRoundTrips) {
    std::string bytes;
    for (int i = 0; i < 256; ++i) {
        bytes += static_cast<char>(i * 7);
        EXPECT_EQ(base64_decode(base64_encode(bytes)), bytes);
    }
}

TEST(Base64, AppendKeepsExistingContent) {
    std::string out = "key=";
    append_base64(out, "\xfb\xff");
    EXPECT_EQ(out, "key=+/8=");
}

TEST(Base64, RefusesAllButTheCanonicalText) {
    for (const char* text : {"Z",
                             "Zg",
                             "Zg=",
                             "Zm9vYg",
                             "=",
                             "====",
                             "Z===",
                             "Zg==Zg==",
                             "Zg== ",
                             " Zg==",
                             "Zm9v\n",
                             "Zm-v",
                             "Zm_v",
                             "Z=g=",
                             "Zh==",
                             "Zm9=",
                             "AAAA===="}) {
        EXPECT_EQ(base64_decode(text), std::nullopt) << text;
    }
    EXPECT_EQ(base64_decode(std::string_view("AA\0=", 4)), std::nullopt);
}

TEST(Base64, ReadsTheAlphabetForUrls) {
    EXPECT_EQ(base64url_decode(""), "");
    EXPECT_EQ(base64url_decode("Zg"), "f");
    EXPECT_EQ(base64url_decode("Zg=="), "f");
    EXPECT_EQ(base64url_decode("-_-_"), "\xfb\xff\xbf");
    for (const char* text : {"+/+/", "Z", "Zm9vZ", "Z=g", "Zh", "Zm 9"}) {
        EXPECT_EQ(base64url_decode(text), std::nullopt) << text;
    }
}

}  // namespace base64_test
}  // namespace orrery
