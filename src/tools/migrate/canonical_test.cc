#include "tools/migrate/canonical.h"

#include <gtest/gtest.h>

namespace orrery::tools {
namespace canonical_test {

std::string canonical(const char* text) {
    const auto value = json::Value::parse(text);
    return value ? canonical_text(*value) : "not JSON";
}

TEST(CanonicalTest, NumbersAreWhatTheyMean) {
    for (const char* same : {"1.5", "1.50", "15e-1", "0.15E1", "150.0e-2"}) {
        EXPECT_EQ(canonical_number(same), "15e-1") << same;
    }
    for (const char* zero : {"0", "-0", "0.000", "0e7"}) {
        EXPECT_EQ(canonical_number(zero), "0") << zero;
    }
    EXPECT_EQ(canonical_number("-1200"), "-12e2");
    EXPECT_EQ(canonical_number("0.001"), "1e-3");
    EXPECT_EQ(canonical_number("1e+3"), "1e3");
    EXPECT_NE(canonical_number("12345678901234567890"), canonical_number("12345678901234567891"));
    EXPECT_EQ(canonical_number("1e9999999999999"), "1e9999999999999");
}

TEST(CanonicalTest, TextsDoNotDependOnOrder) {
    EXPECT_EQ(canonical(R"({"b":[2.0,{"d":null,"c":"\u0041"}],"a":true})"),
              R"({"a":true,"b":[2e0,{"c":"A","d":null}]})");
    EXPECT_EQ(canonical("[[],{},[1]]"), "[[],{},[1e0]]");
    EXPECT_NE(canonical("[1,2]"), canonical("[2,1]"));
    EXPECT_NE(canonical(R"({"a":"1"})"), canonical(R"({"a":1})"));
}

TEST(CanonicalTest, ChecksumsDoNotDependOnOrder) {
    const Hash128 a{.h1 = ~std::uint64_t{0}, .h2 = 1};
    const Hash128 b{.h1 = 3, .h2 = 4};
    Checksum first;
    first.add(a);
    first.add(b);
    Checksum second;
    second.add(b);
    second.add(a);
    EXPECT_EQ(first, second);
    EXPECT_EQ(first.text(), "00000000000000020000000000000005");
    EXPECT_EQ(Checksum().text().size(), 32U);
}

}  // namespace canonical_test
}  // namespace orrery::tools
