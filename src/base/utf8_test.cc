#include "base/utf8.h"

#include <string>

#include <gtest/gtest.h>

namespace orrery {
namespace utf8_test {

bool is_valid_utf8(std::string_view text) {
    while (!text.empty()) {
        if (!take_code_point(text)) return false;
    }
    return true;
}

TEST(Utf8, EveryScalarValueRoundTrips) {
    for (char32_t c = 0; c <= 0x10FFFF; ++c) {
        if (is_surrogate(c)) continue;
        std::string text;
        append_utf8(text, c);
        std::string_view rest = text;
        ASSERT_EQ(take_code_point(rest), c);
        ASSERT_TRUE(rest.empty());
    }
}

TEST(Utf8, Validity) {
    EXPECT_TRUE(is_valid_utf8(""));
    EXPECT_TRUE(is_valid_utf8(std::string_view("a\0b", 3)));
    EXPECT_TRUE(is_valid_utf8("\xC2\x80 \xDF\xBF \xE0\xA0\x80 \xED\x9F\xBF \xEE\x80\x80"));
    EXPECT_TRUE(is_valid_utf8("\xF0\x90\x80\x80 \xF4\x8F\xBF\xBF \xEF\xBF\xBF"));
    for (const char* text : {"\x80",
                             "\xC3",
                             "a\xC3",
                             "\xC0\x80",
                             "\xC1\xBF",
                             "\xE0\x9F\xBF",
                             "\xE4\xBD",
                             "\xED\xA0\x80",
                             "\xED\xBF\xBF",
                             "\xF0\x8F\xBF\xBF",
                             "\xF0\x9F\x98",
                             "\xF4\x90\x80\x80",
                             "\xF5\x80\x80\x80",
                             "\xFF",
                             "\xC3\x28"}) {
        EXPECT_FALSE(is_valid_utf8(text)) << text;
    }
}

TEST(Utf8, AnInvalidByteIsRemovedAlone) {
    std::string_view rest = "\xE4\xBDx";
    EXPECT_EQ(take_code_point(rest), std::nullopt);
    EXPECT_EQ(rest, "\xBDx");
}

}  // namespace utf8_test
}  // namespace orrery
