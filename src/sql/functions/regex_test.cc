#include "sql/functions/regex.h"

#include <gtest/gtest.h>

#include "sql/functions/test_support.h"

namespace orrery::sql {
namespace regex_test {

TEST(RegexMatch, Samples) {
    expect_results({
        {"REGEXMATCH(\"abcd\", \"ABC\")", "false"},
        {"REGEXMATCH(\"abcd\", \"ABC\", \"i\")", "true"},
        {"REGEXMATCH(\"abcd\", \"ab.\", \"\")", "true"},
        {"REGEXMATCH(\"abcd\", \"ab c\", \"x\")", "true"},
        {"REGEXMATCH(\"abcd\", \"aB c\", \"ix\")", "true"},
        {"REGEXMATCH(\"03a\", \"[0-9]\")", "true"},
        {"REGEXMATCH(\"salt3824908\", \"salt{1}\")", "true"},
        {"REGEXMATCH(\"shame\", \"s....\", \"i\")", "true"},
        {"REGEXMATCH(\"a\\nb\", \"^b\")", "false"},
        {"REGEXMATCH(\"a\\nb\", \"^b\", \"m\")", "true"},
        {"REGEXMATCH(\"a\\nb\", \"a.b\")", "false"},
        {"REGEXMATCH(\"a\\nb\", \"a.b\", \"s\")", "true"},
        {"REGEXMATCH(\"Ä\", \"ä\", \"i\")", "true"},
        {"REGEXMATCH(\"😀\", \"^.$\")", "true"},
        {"REGEXMATCH(\"\", \"\")", "true"},
        {"REGEXMATCH(\"foobar\", \"(?<=foo)bar\")", "true"},
        {"REGEXMATCH(\"abab\", \"^(ab)\\\\1$\")", "true"},
        {"REGEXMATCH(\"a\", \"(\")", ""},
        {"REGEXMATCH(\"a\", \"a\", \"z\")", ""},
        {"REGEXMATCH(\"a\", \"a\", \"I\")", ""},
        {"REGEXMATCH(\"é\", \"\\\\C\")", ""},
        {"REGEXMATCH(\"a\", null)", ""},
        {"REGEXMATCH(1, \"a\")", ""},
    });
}

TEST(RegexMatch, Extract) {
    expect_results({
        {"REGEXEXTRACT(\"abc\", \"x\")", ""},
        {"REGEXEXTRACT(\"abc\", \"(\")", ""},
        {"REGEXEXTRACT(\"abc\", \"B\", \"i\")", "\"b\""},
        {"REGEXEXTRACTALL(\"abc\", \"x\")", "[]"},
        {"REGEXEXTRACTALL(\"abc\", \"(\")", ""},
        {"REGEXEXTRACTALL(\"é1é\", \"[0-9]*\")", "[\"\",\"1\",\"\",\"\"]"},
        {"REGEXEXTRACTALL(\"\", \"\")", "[\"\"]"},
    });
}

TEST(RegexMatch, ReusesCompiledPatterns) {
    FunctionTest test;
    std::shared_ptr<void> state;
    test.context.state = &state;
    EXPECT_EQ(test.print("REGEXMATCH(\"abcd\", \"b\")"), "true");
    const void* const first = state.get();
    EXPECT_NE(first, nullptr);
    for (int i = 0; i < 3; ++i) {  // JIT-compiled from the second on
        EXPECT_EQ(test.print("REGEXMATCH(\"xyz\", \"b\")"), "false");
        EXPECT_EQ(test.print("REGEXMATCH(\"abcd\", \"b\")"), "true");
        EXPECT_EQ(state.get(), first);
    }
    EXPECT_EQ(test.print("REGEXMATCH(\"abcd\", \"B\")"), "false");
    EXPECT_EQ(test.print("REGEXMATCH(\"abcd\", \"B\", \"i\")"), "true");
    EXPECT_EQ(test.print("REGEXMATCH(\"abcd\", \"(\")"), "");
    EXPECT_EQ(test.print("REGEXMATCH(\"abcd\", \"(\")"), "");
}

using Outcome = Regex::Outcome;

Outcome find(Regex& regex, std::string_view text) {
    Regex::Work work;
    Regex::Match match;
    Arena arena;
    return regex.find(text, 0, work, match, arena);
}

struct Bomb {
    const char* name;
    const char* pattern;
    std::string text;
};

// Each of these would run for hours or more if not stopped; the test passes if it ends.
TEST(Regex, BombsGiveUp) {
    const std::string many(2'000'000, 'a');
    const Bomb bombs[] = {
        {"nested repetition", "(a+)+$", std::string(200, 'a') + "!"},
        {"nested repetition in a long text", "(a+)+$", many + "!"},
        {"alternatives", "(a|aa)+$", std::string(5000, 'a') + "!"},
        {"from every start to the end", "[a-z]+[0-9]", many},
        {"possessive, so that nothing backtracks", "[a-z]++[0-9]", many},
        {"polynomial", "a*a*a*a*a*b", std::string(20'000, 'a')},
        {"a group that scans each time", "(?:[a-z]*+!|a)*b", many},
        {"back references", "(a*)\\1*b", many},
        {"look ahead", "(?=.*!)a.*b", many},
        {"recursion", "(a(?1)?a?)b", many},
    };
    for (const Bomb& bomb : bombs) {
        Regex regex(bomb.pattern, "");
        ASSERT_TRUE(regex.is_valid()) << bomb.name;
        for (int i = 0; i < 2; ++i) {  // without and with JIT
            EXPECT_NE(find(regex, bomb.text), Outcome::kMatch) << bomb.name;
        }
    }
}

TEST(Regex, LongTextsAreStillMatched) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) {
        text += "some words, ";
    }
    text += "john@example.com";
    Regex words("\\w+@\\w+\\.com", "");
    EXPECT_EQ(find(words, text), Outcome::kMatch);
    Regex none("\\w+@\\w+\\.org", "");
    EXPECT_EQ(find(none, text), Outcome::kNoMatch);
    Regex groups("^(some |words, )*john", "");
    EXPECT_EQ(find(groups, std::string_view(text).substr(text.size() - 120'016)), Outcome::kMatch);
    Regex to_the_end("^.*example", "");
    EXPECT_EQ(find(to_the_end, text), Outcome::kMatch);
}

TEST(Regex, PatternsAreBounded) {
    EXPECT_FALSE(Regex(std::string(model::limits::kRegexPatternBytesMax + 1, 'a'), "").is_valid());
    EXPECT_TRUE(Regex(std::string(model::limits::kRegexPatternBytesMax, 'a'), "").is_valid());
    EXPECT_FALSE(Regex("((((a{1,1000}){1,1000}){1,1000}){1,1000})", "").is_valid());
    EXPECT_FALSE(Regex(std::string(10'000, '('), "").is_valid());
}

TEST(Regex, AllMatchesTogetherAreBounded) {
    Arena arena;
    FunctionContext context{.arena = arena};
    const std::string text(300'000, 'a');
    // Every match examines the rest of the text.
    const Value arguments[] = {Value::string(text), Value::string("a(?!.*b)")};
    EXPECT_TRUE(
        call_function(*find_function("REGEXEXTRACTALL"), arguments, context).is_undefined());
}

}  // namespace regex_test
}  // namespace orrery::sql
