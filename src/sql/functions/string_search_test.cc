#include <gtest/gtest.h>

#include "sql/functions/test_support.h"
#include "sql/functions/text_search.h"

namespace orrery::sql {
namespace string_search_test {

TEST(StringSearch, Contains) {
    expect_results({
        {"CONTAINS(\"AdventureWorks\", \"Adventure\")", "true"},
        {"CONTAINS(\"AdventureWorks\", \"Works\")", "true"},
        {"CONTAINS(\"AdventureWorks\", \"adventure\")", "false"},
        {"CONTAINS(\"AdventureWorks\", \"adventure\", false)", "false"},
        {"CONTAINS(\"AdventureWorks\", \"Contoso\")", "false"},
        {"CONTAINS(\"abc\", \"\")", "true"},
        {"CONTAINS(\"\", \"\")", "true"},
        {"CONTAINS(\"\", \"a\")", "false"},
        {"CONTAINS(\"STRASSE Ä\", \"ä\", true)", "true"},
        {"CONTAINS(\"ΣΑΣ\", \"σας\", true)", "true"},
        {"CONTAINS(\"abc\", null)", ""},
    });
}

TEST(StringSearch, ContainsMany) {
    expect_results({
        {"CONTAINS_ALL_CI(\"Have a nice day!\", \"HAVE\", \"NICE\", \"DAY!\")", "true"},
        {"CONTAINS_ALL_CI(\"Have a nice day!\", \"had\", \"nice\", \"day!\")", "false"},
        {"CONTAINS_ALL_CI(\"Have a nice day!\", undefined, \"nice\", \"day!\")", ""},
        {"CONTAINS_ALL_CI(\"Have a nice day!\", undefined, \"had\")", "false"},
        {"CONTAINS_ALL_CI(\"Have a nice day!\", 1, \"had\")", "false"},
        {"CONTAINS_ALL_CS(\"Have a nice day!\", \"Have\", \"nice\", \"day!\")", "true"},
        {"CONTAINS_ALL_CS(\"Have a nice day!\", \"HAVE\")", "false"},
        {"CONTAINS_ANY_CS(\"Have a nice day!\", \"have\", \"nice\", \"day!\")", "true"},
        {"CONTAINS_ANY_CS(\"Have a nice day!\", \"HAVE\", \"NICE\", \"DAY!\")", "false"},
        {"CONTAINS_ANY_CS(\"Have a nice day!\", undefined, \"nice\", \"day!\")", "true"},
        {"CONTAINS_ANY_CS(\"Have a nice day!\", undefined, \"had\")", ""},
        {"CONTAINS_ANY_CI(\"Have a nice day!\", \"had\", \"NICE\")", "true"},
        {"CONTAINS_ANY_CI(undefined, \"had\")", ""},
        {"CONTAINS_ANY_CI(1, \"had\")", ""},
    });
}

TEST(StringSearch, StartsEndsEquals) {
    expect_results({
        {"STARTSWITH(\"AdventureWorks\", \"Works\")", "false"},
        {"STARTSWITH(\"AdventureWorks\", \"Adventure\")", "true"},
        {"STARTSWITH(\"AdventureWorks\", \"adventure\")", "false"},
        {"STARTSWITH(\"a\", \"\")", "true"},
        {"STARTSWITH(\"a\", \"ab\", true)", "false"},
        {"STARTSWITH(\"Äb\", \"ä\", true)", "true"},
        {"ENDSWITH(\"AdventureWorks\", \"Adventure\")", "false"},
        {"ENDSWITH(\"AdventureWorks\", \"works\")", "false"},
        {"ENDSWITH(\"AdventureWorks\", \"works\", true)", "true"},
        {"ENDSWITH(\"a\", \"\", true)", "true"},
        {"ENDSWITH(\"b\", \"ab\", true)", "false"},
        {"ENDSWITH(\"xÄ\", \"ä\", true)", "true"},
        {"ENDSWITH(\"x\\u2C6F\", \"\\u0250\", true)", "true"},  // of different lengths in UTF-8
        {"STRINGEQUALS(\"AdventureWorks\", \"AdventureWorks\")", "true"},
        {"STRINGEQUALS(\"AdventureWorks\", \"adventureworks\")", "false"},
        {"STRINGEQUALS(\"a\", \"ab\", true)", "false"},
        {"STRINGEQUALS(\"ab\", \"a\", true)", "false"},
        {"STRINGEQUALS(null, null)", ""},
        {"STRINGEQUALS(\"null\", null)", ""},
    });
}

TEST(StringSearch, Positions) {
    expect_results({
        {"INDEX_OF(\"AdventureWorks\", \"A\")", "0"},
        {"INDEX_OF(\"AdventureWorks\", \"s\")", "13"},
        {"INDEX_OF(\"AdventureWorks\", \"tureW\")", "5"},
        {"INDEX_OF(\"AdventureWorks\", \"Cosmos\")", "-1"},
        {"INDEX_OF(\"AdventureWorks\", \"Adventure\", 5)", "-1"},
        {"INDEX_OF(\"AdventureWorks\", \"aD\")", "-1"},
        {"INDEX_OF(\"abc\", \"\")", "0"},
        {"INDEX_OF(\"abc\", \"\", 3)", "3"},
        {"INDEX_OF(\"abc\", \"a\", -5)", "0"},
        {"INDEX_OF(\"abc\", \"a\", 100)", "-1"},
        {"INDEX_OF(\"abc\", \"a\", 0.5)", ""},
        {"LASTINDEXOF(\"abcdeabc\", \"abc\")", "5"},
        {"LASTINDEXOF(\"abcdeabc\", \"abc\", 6)", "0"},
        {"LASTINDEXOF(\"abcdeabc\", \"abc\", 7)", "5"},
        {"LASTINDEXOF(\"abcdeabc\", \"abc\", 100)", "5"},
        {"LASTINDEXOF(\"abcdeabc\", \"abc\", 9223372036854775807)", "5"},
        {"LASTINDEXOF(\"abcdeabc\", \"abc\", 1)", "-1"},
        {"LASTINDEXOF(\"abcdeabc\", \"abc\", -1)", "-1"},
        {"LASTINDEXOF(\"abcdeabc\", \"fg\")", "-1"},
        {"LASTINDEXOF(\"abc\", \"\")", "3"},
        {"LASTINDEXOF(\"abc\", \"a\", 0.5)", ""},
    });
}

TEST(StringSearch, BeforeAndAfter) {
    expect_results({
        {"SubstringAfter(\"abc\", \"x\")", "\"\""},
        {"SUBSTRINGBEFORE(\"abc\", \"x\")", "\"\""},
        {"LASTSUBSTRINGAFTER(\"abc\", \"x\")", "\"\""},
        {"LASTSUBSTRINGBEFORE(\"abc\", \"x\")", "\"\""},
        {"SUBSTRINGAFTER(\"abc\", \"c\")", "\"\""},
        {"SUBSTRINGBEFORE(\"a-b-c\", \"-\")", "\"a\""},
        {"LASTSUBSTRINGBEFORE(\"a-b-c\", \"-\")", "\"a-b\""},
    });
}

// Naive search takes time proportional to the product of these lengths: minutes.
TEST(TextSearch, IsLinear) {
    const std::string text(2'000'000, 'a');
    const std::string wanted = std::string(500'000, 'a') + "b" + std::string(500'000, 'a');
    EXPECT_EQ(find_text(text, wanted), kNowhere);
    EXPECT_EQ(find_last_text(text, wanted), kNowhere);
    EXPECT_EQ(find_last_text(text, text.substr(1)), 1U);
}

TEST(TextSearch, FindsTheLast) {
    const std::string wanted = "a text of more than sixteen bytes";
    const std::string text = wanted + "|" + wanted + "|";
    EXPECT_EQ(find_last_text(text, wanted), wanted.size() + 1);
    EXPECT_EQ(find_last_text(wanted, wanted), 0U);
    EXPECT_EQ(find_last_text("short", wanted), kNowhere);
    EXPECT_EQ(find_text(text, wanted, 1), wanted.size() + 1);
    EXPECT_EQ(find_text(text, wanted, text.size() + 1), kNowhere);
}

TEST(TextSearch, FoldsCase) {
    EXPECT_EQ(fold_case("ABC xyz"), "abc xyz");
    EXPECT_EQ(fold_case("ÄÉ Σς"), "äé σσ");
    EXPECT_TRUE(equal_any_case("Ω", "\u2126"));  // the ohm sign
    EXPECT_FALSE(equal_any_case("ß", "ss"));     // characters are not expanded
}

}  // namespace string_search_test
}  // namespace orrery::sql
