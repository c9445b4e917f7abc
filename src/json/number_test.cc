#include "json/number.h"

#include <limits>

#include <gtest/gtest.h>

namespace orrery::json {
namespace number_test {

std::string printed(std::string_view text) {
    std::string out;
    append_number(out, Number::parse(text));
    return out;
}

TEST(Number, PrintsAsQueryResultsDo) {
    EXPECT_EQ(printed("1.0"), "1");
    EXPECT_EQ(printed("-0.0"), "0");
    EXPECT_EQ(printed("-0"), "0");
    EXPECT_EQ(printed("1e2"), "100");
    EXPECT_EQ(printed("0.1"), "0.1");
    EXPECT_EQ(printed("0.33333333333333331"), "0.33333333333333331");
    EXPECT_EQ(printed("9223372036854775807"), "9223372036854775807");
    EXPECT_EQ(printed("18446744073709551615"), "1.8446744073709552e+19");
    EXPECT_EQ(printed("1e-400"), "0");
    EXPECT_EQ(printed("4.94065645841247e-324"), "4.94065645841247e-324");
    EXPECT_FALSE(Number::parse("1e400").is_finite());
}

TEST(Number, ComparesIntegersAndDoublesExactly) {
    const std::int64_t big = (std::int64_t{1} << 53) + 1;  // not a double
    EXPECT_GT(Number(big), Number(9007199254740992.0));
    EXPECT_LT(Number(big), Number(9007199254740994.0));
    EXPECT_LT(Number(std::numeric_limits<std::int64_t>::max()), Number(9223372036854775808.0));
    EXPECT_EQ(Number(std::numeric_limits<std::int64_t>::min()), Number(-9223372036854775808.0));
    EXPECT_LT(Number(1), Number(1.5));
    EXPECT_GT(Number(-1), Number(-1.5));
    EXPECT_EQ(Number(3), Number(3.0));
    EXPECT_EQ(Number(1) <=> Number(std::numeric_limits<double>::quiet_NaN()),
              std::partial_ordering::unordered);
    EXPECT_LT(Number(1), Number(std::numeric_limits<double>::infinity()));
}

}  // namespace number_test
}  // namespace orrery::json
