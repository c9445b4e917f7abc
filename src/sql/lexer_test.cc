#include "sql/lexer.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sql/literal.h"

namespace orrery::sql {
namespace lexer_test {

std::vector<Token> tokens(std::string_view text) {
    Lexer lexer(text);
    std::vector<Token> out;
    for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
        out.push_back(token);
    }
    return out;
}

std::vector<TokenKind> kinds(std::string_view text) {
    std::vector<TokenKind> out;
    for (const Token& token : tokens(text)) {
        out.push_back(token.kind);
    }
    return out;
}

using K = TokenKind;
using Kinds = std::vector<TokenKind>;

TEST(Lexer, ReservedWordsIgnoreCase) {
    EXPECT_EQ(kinds("select SeLeCt selects c1 _x TRUE nUlL UDF rank"),
              (Kinds{K::kSelect,
                     K::kSelect,
                     K::kIdentifier,
                     K::kIdentifier,
                     K::kIdentifier,
                     K::kTrue,
                     K::kNull,
                     K::kUdf,
                     K::kIdentifier}));
}

TEST(Lexer, LongestOperatorWins) {
    EXPECT_EQ(kinds(">>> >> >= > << <= <> < != = || | ?? ?"),
              (Kinds{K::kShiftRightUnsigned,
                     K::kShiftRight,
                     K::kGreaterOrEqual,
                     K::kGreater,
                     K::kShiftLeft,
                     K::kLessOrEqual,
                     K::kNotEqual,
                     K::kLess,
                     K::kNotEqual,
                     K::kEqual,
                     K::kConcat,
                     K::kPipe,
                     K::kCoalesce,
                     K::kQuestion}));
}

TEST(Lexer, NumbersHaveNoSign) {
    EXPECT_EQ(kinds("1-1"), (Kinds{K::kNumber, K::kMinus, K::kNumber}));
    for (const char* number : {"0", "12", "1.5", ".5", "5.", "1e10", "1E-2", "1.e5", "0x1F"}) {
        EXPECT_EQ(kinds(number), Kinds{K::kNumber}) << number;
    }
}

TEST(Lexer, NumberRunningIntoAWordIsInvalid) {
    for (const char* text : {"12a", "0.E", "1e", "0x", "0xG", "1_"}) {
        EXPECT_EQ(kinds(text), Kinds{K::kInvalid}) << text;
    }
    EXPECT_EQ(kinds("c.12a"), (Kinds{K::kIdentifier, K::kInvalid}));
}

TEST(Lexer, CommentsRunToTheEndOfTheLine) {
    EXPECT_EQ(kinds("1 -- 2 ' \n 3--4"), (Kinds{K::kNumber, K::kNumber}));
    EXPECT_EQ(kinds("/* */"), (Kinds{K::kSlash, K::kStar, K::kStar, K::kSlash}));
}

TEST(Lexer, Strings) {
    EXPECT_EQ(kinds(R"('a"b' "a'b" 'a\'b' "\u00e9\n\/")"),
              (Kinds{K::kString, K::kString, K::kString, K::kString}));
    EXPECT_EQ(kinds("'abc"), (Kinds{K::kBadString, K::kIdentifier}));
    EXPECT_EQ(kinds("'abc\\"), (Kinds{K::kBadString, K::kIdentifier, K::kInvalid}));
    EXPECT_EQ(kinds(R"('\q')"), Kinds{K::kBadString});
    EXPECT_EQ(kinds(R"('\ud800')"), Kinds{K::kBadString});
}

TEST(Lexer, Parameters) {
    EXPECT_EQ(kinds("@a @_1 @ @1"),
              (Kinds{K::kParameter, K::kParameter, K::kInvalid, K::kInvalid}));
}

TEST(Lexer, UnknownCharacters) {
    EXPECT_EQ(kinds("; é !"), (Kinds{K::kInvalid, K::kInvalid, K::kInvalid}));
    EXPECT_EQ(tokens("é")[0].text, "é");
}

TEST(Lexer, LocationsCountUtf16Units) {
    const auto found = tokens("'é' '😀' x");
    EXPECT_EQ(found[0].location, (Location{0, 3}));
    EXPECT_EQ(found[1].location, (Location{4, 8}));
    EXPECT_EQ(found[2].location, (Location{9, 10}));
}

TEST(Literal, Numbers) {
    EXPECT_EQ(number_value("0x1F"), json::Number(31));
    EXPECT_EQ(number_value("0xFFFFFFFFFFFFFFFF"), json::Number(18446744073709551615.0));
    EXPECT_EQ(number_value(".5"), json::Number(0.5));
    EXPECT_EQ(number_value("5."), json::Number(5));
    EXPECT_EQ(number_value("1.e2"), json::Number(100));
    EXPECT_EQ(number_value("9223372036854775807"), json::Number(INT64_MAX));
    EXPECT_EQ(number_value("18446744073709551615"), json::Number(18446744073709551615.0));
    EXPECT_FALSE(number_value("1e999").is_finite());
    EXPECT_EQ(number_value("1e-999"), json::Number(0));
    EXPECT_FALSE(number_value("NaN") == number_value("NaN"));
    EXPECT_FALSE(number_value("Infinity").is_finite());
}

TEST(Literal, Strings) {
    EXPECT_EQ(string_value(R"('it\'s')"), "it's");
    EXPECT_EQ(string_value(R"("\b\f\n\r\t\\\/")"), "\b\f\n\r\t\\/");
    EXPECT_EQ(string_value(R"('\ud83d\ude00')"), "😀");
    EXPECT_EQ(string_value(R"('\u12')"), std::nullopt);
    EXPECT_EQ(string_value(R"('\ud83dx')"), std::nullopt);
}

TEST(Lexer, Identifiers) {
    EXPECT_TRUE(is_identifier("a1_"));
    EXPECT_FALSE(is_identifier("Value"));
    EXPECT_FALSE(is_identifier("1a"));
    EXPECT_FALSE(is_identifier("a b"));
    EXPECT_FALSE(is_identifier(""));
}

}  // namespace lexer_test
}  // namespace orrery::sql
