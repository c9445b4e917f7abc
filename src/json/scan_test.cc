#include "json/scan.h"

#include <cmath>

#include <gtest/gtest.h>

#include "json/value.h"

namespace orrery::json {
namespace scan_test {

bool accepts(std::string_view text) { return static_cast<bool>(check(text)); }

TEST(Scan, AcceptsEveryKindOfValue) {
    for (const char* text : {"null",
                             " true ",
                             "false",
                             "0",
                             "-0",
                             "-0.5e+10",
                             "1E400",
                             "123456789012345678901234567890123456789.0000000000000000001",
                             "\"\"",
                             "\"\\u0000\"",
                             "\"\\ud83d\\ude00\"",
                             "\"é日\"",
                             "[]",
                             "{}",
                             "[ 1 , [ ] , { } ]",
                             "{\"a\":{\"a\":1},\"b\":[{\"a\":2}]}",
                             "{\"\":1}",
                             "\r\n\t 1"}) {
        EXPECT_TRUE(accepts(text)) << text;
    }
}

TEST(Scan, RefusesWhatIsNotJson) {
    for (const char* text : {"",
                             " ",
                             "nul",
                             "truex",
                             "nan",
                             "Infinity",
                             "+1",
                             "01",
                             "1.",
                             ".5",
                             "1e",
                             "--1",
                             "\"",
                             "\"\\x\"",
                             "\"\\u12\"",
                             "\"\\ud83d\"",
                             "\"\\ud83d\\u0041\"",
                             "\"\\ude00\"",
                             "\"\n\"",
                             "[",
                             "[1",
                             "[1,",
                             "[1,]",
                             "[,1]",
                             "[1 2]",
                             "{",
                             "{\"a\"",
                             "{\"a\":",
                             "{\"a\":1,",
                             "{\"a\":1,}",
                             "{,}",
                             "{,\"a\":1}",
                             "{a:1}",
                             "{\"a\" 1}",
                             "{\"a\":1 \"b\":2}",
                             "1 2",
                             "{}}",
                             "]",
                             "\"\xff\"",
                             "\"\xed\xa0\x80\"",
                             "/**/1",
                             "'a'"}) {
        EXPECT_FALSE(accepts(text)) << text;
    }
}

// Long strings are scanned several characters at a time.
TEST(Scan, FindsWhatEndsAStringWhereverItIs) {
    for (std::size_t before = 0; before < 40; ++before) {
        const std::string start = '"' + std::string(before, 'x');
        const std::string rest = "\u00e9" + std::string(20, 'y') + '"';
        EXPECT_TRUE(accepts(start + rest)) << before;
        EXPECT_TRUE(accepts(start + "\\n\\ud83d\\ude00" + rest)) << before;
        EXPECT_TRUE(accepts(start + ' ' + '\x7f' + rest)) << before;
        EXPECT_FALSE(accepts(start + '"' + rest)) << before;
        EXPECT_FALSE(accepts(start)) << before;
        EXPECT_FALSE(accepts(start + "\\x" + rest)) << before;
        for (char control = 0; control < ' '; ++control) {
            EXPECT_FALSE(accepts(start + control + rest)) << before;
        }
    }
}

bool has_duplicates(std::string_view text) {
    const auto checked = check(text);
    EXPECT_TRUE(checked) << text;
    return checked && checked->duplicates;
}

TEST(Scan, ReportsDuplicateNamesAtEveryLevelAndSpelling) {
    EXPECT_TRUE(has_duplicates(R"({"a":1,"a":2})"));
    EXPECT_TRUE(has_duplicates(R"([{"x":{"a":1,"b":2,"a":3}}])"));
    EXPECT_TRUE(has_duplicates(R"({"a":1,"\u0061":2})"));
    EXPECT_FALSE(has_duplicates(R"({"a":1,"A":2,"a ":3,"b":{"a":1}})"));
}

TEST(Scan, ReportsADuplicateAmongManyNames) {
    std::string text = "{";
    for (int i = 0; i < 5000; ++i) {
        text += "\"n" + std::to_string(i) + "\":0,";
    }
    EXPECT_FALSE(has_duplicates(text + "\"last\":1}"));
    EXPECT_TRUE(has_duplicates(text + "\"n17\":1}"));
    EXPECT_FALSE(has_duplicates(text + "\"\\u006cast\":1}"));
    EXPECT_TRUE(has_duplicates(text + "\"\\u006e17\":1}"));
}

TEST(Scan, BoundsTheDepth) {
    const auto nested = [](int depth) {
        const auto n = static_cast<std::size_t>(depth);
        return std::string(n, '[') + std::string(n, ']');
    };
    EXPECT_TRUE(accepts(nested(kDepthMax)));
    EXPECT_FALSE(accepts(nested(kDepthMax + 1)));
    EXPECT_TRUE(check(nested(kDepthMax + 1), kDepthMax + 1));
    EXPECT_FALSE(accepts(std::string(1'000'000, '[')));
}

TEST(Scan, ReportsWhereTheErrorIs) {
    const auto result = check(R"({"a":tru})");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::kBadRequest);
    EXPECT_NE(result.error().message().find("offset 5"), std::string::npos);
}

TEST(Value, KeepsOrderAndDigits) {
    const std::string text = R"({"z":1.10,"a":[true,null,"\u0000é"],"n":1e400,"o":{}})";
    const auto value = Value::parse(text);
    ASSERT_TRUE(value);
    EXPECT_EQ(value->text(), text);
}

TEST(Value, KeepsTheLastDuplicateAtTheFirstPosition) {
    EXPECT_EQ(Value::parse(R"({"a":1,"b":2,"\u0061":3,"c":4,"b":5})")->text(),
              R"({"a":3,"b":5,"c":4})");
    EXPECT_EQ(Value::parse(R"([{"x":{"a":[1],"a":{"b":1,"b":2}}},{"x":1}])")->text(),
              R"([{"x":{"a":{"b":2}}},{"x":1}])");
    std::string many = "{";
    for (int i = 0; i < 20'000; ++i) {
        many += "\"n" + std::to_string(i % 100) + "\":" + std::to_string(i) + ",";
    }
    const auto value = Value::parse(many + "\"z\":0}");
    ASSERT_TRUE(value);
    EXPECT_EQ(value->object().size(), 101U);
    EXPECT_EQ(value->find("n7")->number(), 19'907);
}

TEST(Normalize, RewritesOnlyTextWithDuplicates) {
    EXPECT_EQ(*normalize(R"( { "a" : "\u0061" , "n" : 1.10 } )"), R"({"a":"\u0061","n":1.10})");
    EXPECT_EQ(*normalize(R"({"a":"\u0061","n":1.10,"a":1e400})"), R"({"a":1e400,"n":1.10})");
    EXPECT_FALSE(normalize(R"({"a":)"));
    EXPECT_FALSE(normalize(R"({"a":"open)"));
    EXPECT_FALSE(normalize(""));
}

TEST(Value, ComparesByValue) {
    EXPECT_EQ(*Value::parse(R"({"a":1,"b":[2.0]})"), *Value::parse(R"({"b":[2],"a":1.0})"));
    EXPECT_FALSE(*Value::parse(R"({"a":1})") == *Value::parse(R"({"a":"1"})"));
    EXPECT_FALSE(*Value::parse(R"({"a":1})") == *Value::parse(R"({"a":1,"b":1})"));
}

TEST(Value, RecognisesIntegers) {
    EXPECT_EQ(Value::parse("2.0")->integer(), 2);
    EXPECT_EQ(Value::parse("-1")->integer(), -1);
    EXPECT_EQ(Value::parse("2.5")->integer(), std::nullopt);
    EXPECT_EQ(Value::parse("1e300")->integer(), std::nullopt);
    EXPECT_EQ(Value::parse("\"2\"")->integer(), std::nullopt);
}

TEST(Value, SetsAndRemovesMembers) {
    Value value = *Value::parse(R"({"a":1,"b":2})");
    value.set("a", "x");
    value.set("c", Value());
    value.remove("b");
    EXPECT_EQ(value.text(), R"({"a":"x","c":null})");
}

TEST(Text, QuotesAndUnquotes) {
    const std::string text("a\"\\\b\n\x01 é\0z", 11);
    EXPECT_EQ(unquote(quote(text)), text);
    EXPECT_EQ(unquote(R"("\ud83d\ude00\u00e9\/")"), "😀é/");
}

TEST(Text, DoublesAreNearestAndSaturate) {
    EXPECT_EQ(to_double("0.1"), 0.1);
    EXPECT_EQ(to_double("1e400"), HUGE_VAL);
    EXPECT_EQ(to_double("-1e400"), -HUGE_VAL);
    EXPECT_EQ(to_double("1e-400"), 0.0);
    EXPECT_EQ(to_double("0." + std::string(400, '0') + "1"), 0.0);
    EXPECT_EQ(to_double("9007199254740993"), 9007199254740992.0);
}

TEST(Text, MinifiesOutsideStringsOnly) {
    EXPECT_EQ(minify(" { \"a b\" :\n[ 1 ,\t2 ] } "), "{\"a b\":[1,2]}");
    EXPECT_EQ(minify("{\"a"), std::nullopt);
}

}  // namespace scan_test
}  // namespace orrery::json
