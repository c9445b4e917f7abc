#include "tools/shell/text.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

namespace orrery::tools {
namespace text_test {

using testing::ElementsAre;

TEST(PrintableTest, EscapesWhatActsOnTerminals) {
    EXPECT_EQ(printable("\x1b[2Jred"), "\\u001b[2Jred");
    EXPECT_EQ(printable("a\tb\nc\rd"), "a\\tb\\nc\\rd");
    EXPECT_EQ(printable("\x7f"), "\\u007f");
    EXPECT_EQ(printable("\u009b31m"), "\\u009b31m");  // C1: the same as ESC [
    EXPECT_EQ(printable("\u202eabc\u2066"), "\\u202eabc\\u2066");
    EXPECT_EQ(printable("\u2028"), "\\u2028");
    EXPECT_EQ(printable(std::string_view("\0", 1)), "\\u0000");
    EXPECT_EQ(printable("a\xff"), "a\uFFFD");
}

TEST(PrintableTest, KeepsTheRest) {
    const std::string text = "plain, ünïcödé 世界 \U0001F680 \\n";
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(printable(printable("\x1b")), printable("\x1b"));
}

TEST(WidthTest, CountsColumns) {
    EXPECT_EQ(display_width("abc"), 3U);
    EXPECT_EQ(display_width("世界"), 4U);
    EXPECT_EQ(display_width("e\u0301"), 1U);  // a combining accent
    EXPECT_EQ(display_width("\U0001F680"), 2U);
    EXPECT_EQ(display_width("ｆ"), 2U);  // full width
    EXPECT_EQ(display_width(""), 0U);
}

TEST(ShortenedTest, CutsBetweenCharacters) {
    EXPECT_EQ(shortened("abcdef", 6), "abcdef");
    EXPECT_EQ(shortened("abcdef", 4), "abc…");
    EXPECT_EQ(shortened("世界世界", 5), "世界…");
    EXPECT_EQ(shortened("世界世界", 6), "世界…");  // half a character does not fit
    EXPECT_EQ(shortened("e\u0301xyz", 2), "e\u0301…");
    EXPECT_EQ(shortened("abc", 1), "…");
    EXPECT_EQ(shortened("abc", 0), "");
}

TEST(ColumnsTest, GoDown) {
    EXPECT_THAT(in_columns({"a", "bb", "c", "d", "e"}, 7), ElementsAre("a   d", "bb  e", "c"));
    EXPECT_THAT(in_columns({"longer than that", "b"}, 5), ElementsAre("longer than that", "b"));
    EXPECT_THAT(in_columns({}, 80), ElementsAre());
}

}  // namespace text_test
}  // namespace orrery::tools
