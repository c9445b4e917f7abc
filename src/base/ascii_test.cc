#include "base/ascii.h"

#include <gtest/gtest.h>

namespace orrery {
namespace ascii_test {

TEST(Ascii, ChangesTheCaseOfLettersOnly) {
    EXPECT_EQ(lower(std::string_view("AZaz@[`{0\xC3\x84")), "azaz@[`{0\xC3\x84");
    EXPECT_EQ(upper('a'), 'A');
    EXPECT_EQ(upper('z'), 'Z');
    EXPECT_EQ(upper('`'), '`');
    EXPECT_EQ(upper('{'), '{');
}

TEST(Ascii, ComparesWordsIgnoringCase) {
    EXPECT_TRUE(same_word("Gzip", "gZIP"));
    EXPECT_FALSE(same_word("gzip", "gzi"));
    EXPECT_FALSE(same_word("@", "`"));
}

TEST(Ascii, TrimsBlanksAndTabs) {
    EXPECT_EQ(trimmed(" \t a b\t "), "a b");
    EXPECT_EQ(trimmed(" \t"), "");
    EXPECT_EQ(trimmed(""), "");
    EXPECT_EQ(trimmed("\na "), "\na");
}

}  // namespace ascii_test
}  // namespace orrery
