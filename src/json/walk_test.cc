#include "json/walk.h"

#include <random>

#include <gtest/gtest.h>

#include "json/number.h"

namespace orrery::json {
namespace walk_test {

std::string pieces(std::string_view container) {
    std::string out;
    Walk walk(container);
    while (const auto piece = walk.next()) {
        out.append(piece->name).append("=").append(piece->value).append(";");
    }
    return out;
}

TEST(Walk, IteratesOverOneLevel) {
    EXPECT_EQ(pieces("[]"), "");
    EXPECT_EQ(pieces("{}"), "");
    EXPECT_EQ(pieces(R"([1,"a]",[2,{"x":3}],null])"), R"(=1;="a]";=[2,{"x":3}];=null;)");
    EXPECT_EQ(pieces(R"({"a":1,"b\"":{"c":[]},"d":"\\"})"), R"("a"=1;"b\""={"c":[]};"d"="\\";)");
}

TEST(Walk, DamageEndsIt) {
    EXPECT_EQ(pieces(R"([1,"a)"), "=1;");
    EXPECT_EQ(pieces(R"({"a":1,"b)"), R"("a"=1;)");
    EXPECT_EQ(pieces(R"({"a":1,"b":[1)"), R"("a"=1;)");
    EXPECT_EQ(pieces(""), "");
    EXPECT_EQ(pieces("x"), "");
    for (const char* scalar : {"tru", "truex", "nul", "1x", "1.", "-", "01", "1e", "+1", "x"}) {
        EXPECT_EQ(pieces("[0," + std::string(scalar) + ",2]"), "=0;") << scalar;
        EXPECT_EQ(pieces("[0," + std::string(scalar)), "=0;") << scalar;
    }
}

TEST(Walk, LongStrings) {
    const std::string longer(100, 'x');
    EXPECT_EQ(pieces("[\"" + longer + "\",\"" + longer + "\\\"\",1]"),
              "=\"" + longer + "\";=\"" + longer + "\\\"\";=1;");
    EXPECT_EQ(find_member("{\"" + longer + "y\":1,\"" + longer + "\":2}", longer), "2");
}

TEST(Walk, FindsMembersByTheirPlainName) {
    EXPECT_EQ(find_member(R"({"a":1,"b":2})", "b"), "2");
    EXPECT_EQ(find_member(R"({"\u0061b":1})", "ab"), "1");
    EXPECT_EQ(find_member(R"({"a\\b":1})", "a\\b"), "1");
    EXPECT_EQ(find_member(R"({"a\\b":1})", "a\\\\b"), std::nullopt);
    EXPECT_EQ(find_member(R"({"a":1})", "c"), std::nullopt);
}

TEST(Walk, PrintsPlainNumbers) {
    std::string out;
    EXPECT_TRUE(append_with_plain_numbers(out, R"({"a":1.0,"b":"1.0","c":[1e2,-0,12]})"));
    EXPECT_EQ(out, R"({"a":1,"b":"1.0","c":[100,0,12]})");
    EXPECT_FALSE(append_with_plain_numbers(out, "[1e400]"));
}

TEST(Walk, PlainNumbersSkipStrings) {
    for (const char* text : {R"(["1.0","\\","\"1.0\\\"","\\\\",""])", R"({"1.0\"":"\u005c1.0"})"}) {
        std::string out;
        EXPECT_TRUE(append_with_plain_numbers(out, text));
        EXPECT_EQ(out, text);
    }
}

TEST(Walk, PlainNumbersFindDamage) {
    for (const char* text : {R"(["a)", R"(["a\"])", "[1x]", "[-]", "[1.]", "[01]", "[1e]", "[1"}) {
        std::string out;
        EXPECT_EQ(append_with_plain_numbers(out, text), std::string_view(text) == "[1") << text;
    }
}

// The short cut for numbers that print as they are written.
TEST(Walk, PlainNumbersAreThoseOfTheParsedValue) {
    std::mt19937 random(5);
    const auto digits = [&](std::size_t count_max) {
        std::string out;
        for (std::size_t count = 1 + random() % count_max; out.size() < count;) {
            out += static_cast<char>('0' + (random() % 3 == 0 ? 0 : random() % 10));
        }
        return out;
    };
    for (int i = 0; i < 20'000; ++i) {
        std::string number = random() % 4 == 0 ? "-" : "";
        number += random() % 3 == 0 ? "0" : std::to_string(random() % 9 + 1) + digits(12);
        if (random() % 3 != 0) number += "." + digits(8);
        if (random() % 8 == 0) number += "e" + std::to_string(random() % 20);
        std::string plain;
        append_number(plain, Number::parse(number));
        std::string out;
        ASSERT_TRUE(append_with_plain_numbers(out, number));
        ASSERT_EQ(out, plain) << number;
        if (prints_as_written(number)) {
            ASSERT_EQ(number, plain);
        }
    }
}

}  // namespace walk_test
}  // namespace orrery::json
