#include <gtest/gtest.h>

#include "sql/functions/test_support.h"

namespace orrery::sql {
namespace math_test {

TEST(Math, Samples) {
    expect_results({
        {"ABS(0)", "0"},
        {"ABS(1)", "1"},
        {"ABS(-2.5)", "2.5"},
        {"CEILING(123.45)", "124"},
        {"CEILING(0)", "0"},
        {"FLOOR(62.6)", "62"},
        {"FLOOR(0.2989)", "0"},
        {"FLOOR(0.0)", "0"},
        {"FLOOR(null)", ""},
        {"DEGREES(3.141592653589793)", "180"},
        {"DEGREES(4.71238898038469)", "270"},
        {"DEGREES(6.283185307179586)", "360"},
        {"EXP(0)", "1"},
        {"EXP(20)", "485165195.40979028"},
        {"LOG(5)", "1.6094379124341003"},
        {"LOG(8, 2)", "3"},
        {"LOG(9, 3)", "2"},
        {"POWER(1, 1)", "1"},
        {"POWER(2, 2)", "4"},
        {"POWER(4, 4)", "256"},
        {"POWER(0, 2)", "0"},
        {"POWER(0, 0)", "1"},
        {"POWER(2, -1)", "0.5"},
        {"POWER(2, 0.5)", "1.4142135623730951"},
        {"POWER(null, 3)", ""},
        {"POWER(2, null)", ""},
        {"ROUND(2.4)", "2"},
        {"ROUND(2.6)", "3"},
        {"ROUND(2.5)", "3"},
        {"ROUND(-2.4)", "-2"},
        {"ROUND(-2.6)", "-3"},
        {"ROUND(6.5)", "7"},
        {"ROUND(-0.5)", "-1"},
        {"ROUND(0.5)", "1"},
        {"SIGN(-2)", "-1"},
        {"SIGN(0)", "0"},
        {"SIGN(2)", "1"},
        {"SIGN(-0.5)", "-1"},
        {"TRUNC(2.37)", "2"},
        {"TRUNC(0.0000714)", "0"},
        {"TRUNC(PI())", "3"},
    });
}

TEST(Math, NumberBin) {
    expect_results({
        {"NUMBERBIN(37.752, -100)", "100"},
        {"NUMBERBIN(37.752, 10)", "30"},
        {"NUMBERBIN(37.752, 1)", "37"},
        {"NUMBERBIN(37.752)", "37"},
        {"NUMBERBIN(37.752, 0)", ""},
        {"NUMBERBIN(37.752, 0.1)", "37.7"},
        {"NUMBERBIN(37.752, 0.01)", "37.75"},
        {"NUMBERBIN(37, 10)", "30"},
        {"NUMBERBIN(-37, 10)", "-40"},
        {"NUMBERBIN(37, -10)", "40"},
        {"NUMBERBIN(-40, 10)", "-40"},
        {"NUMBERBIN(9223372036854775807, 10)", "9223372036854775800"},
        {"NUMBERBIN(-9223372036854775808, -1)", "-9223372036854775808"},
        {"NUMBERBIN(-9223372036854775808, 10)", "-9223372036854775808"},
        {"NUMBERBIN(1, Infinity)", ""},
    });
}

TEST(Math, IntegersStayExact) {
    expect_results({
        {"ABS(-9223372036854775807)", "9223372036854775807"},
        {"ABS(-9223372036854775808)", "9.2233720368547758e+18"},
        {"FLOOR(9007199254740993)", "9007199254740993"},
        {"ROUND(9007199254740993)", "9007199254740993"},
        {"CEILING(-9007199254740993)", "-9007199254740993"},
        {"TRUNC(9223372036854775807)", "9223372036854775807"},
        {"SQUARE(3037000499)", "9223372030926249001"},
        {"SQUARE(3037000500)", "9.22337203700025e+18"},
        {"SQUARE(1.5)", "2.25"},
        {"POWER(3, 39)", "4052555153018976267"},
        {"POWER(3, 40)", "1.2157665459056929e+19"},
        {"POWER(-2, 63)", "-9223372036854775808"},
        {"POWER(1, 9223372036854775807)", "1"},
        {"POWER(2, 9223372036854775807)", "Infinity"},
    });
}

TEST(Math, OutsideTheDomainIsNotFinite) {
    expect_results({
        {"SQRT(-1)", "NaN"},
        {"ACOS(2)", "NaN"},
        {"LOG(-1)", "NaN"},
        {"LOG(0)", "-Infinity"},
        {"SIGN(NaN)", "NaN"},
        {"EXP(1000)", "Infinity"},
        {"FLOOR(Infinity)", "Infinity"},
    });
}

TEST(Math, RandomComesFromTheContext) {
    FunctionTest test;
    test.context.random = 0.25;
    EXPECT_EQ(test.print("RAND()"), "0.25");
    EXPECT_FALSE(find_function("RAND")->deterministic);
}

TEST(Integer, Samples) {
    expect_results({
        {"INTADD(20, 0)", "20"},
        {"INTADD(20, 0.10)", ""},
        {"INTSUB(10, 20)", "-10"},
        {"INTMUL(-5, -2)", "10"},
        {"INTMUL(5, INTMUL(5, 5))", "125"},
        {"INTMUL(5, 0)", "0"},
        {"INTMUL(5, 0.5)", ""},
        {"INTDIV(10, 2)", "5"},
        {"INTDIV(10, -2)", "-5"},
        {"INTDIV(-10, -2)", "5"},
        {"INTDIV(-7, 2)", "-3"},
        {"INTDIV(10, 0)", ""},
        {"INTDIV(10, 0.1)", ""},
        {"INTMOD(12, 5)", "2"},
        {"INTMOD(12, -5)", "2"},
        {"INTMOD(-12, -5)", "-2"},
        {"INTMOD(15, 5)", "0"},
        {"INTMOD(12, 0)", ""},
        {"INTMOD(12, 0.2)", ""},
        {"INTBITNOT(0)", "-1"},
        {"INTBITNOT(0.1)", ""},
        {"INTBITLEFTSHIFT(16, 0.4)", ""},
        {"INTBITRIGHTSHIFT(16, 0.4)", ""},
        {"INTBITRIGHTSHIFT(-16, 2)", "-4"},
        {"IntBitwiseAnd(12, 10)", "8"},
    });
}

TEST(Integer, OverflowIsUndefined) {
    expect_results({
        {"INTADD(9223372036854775807, 1)", ""},
        {"INTADD(9223372036854775806, 1)", "9223372036854775807"},
        {"INTSUB(-9223372036854775808, 1)", ""},
        {"INTMUL(9223372036854775807, 2)", ""},
        {"INTDIV(-9223372036854775808, -1)", ""},
        {"INTMOD(-9223372036854775808, -1)", "0"},
        {"INTADD(18446744073709551615, 0)", ""},
        {"INTADD(NaN, 0)", ""},
        {"INTBITLEFTSHIFT(1, 63)", "-9223372036854775808"},
        {"INTBITLEFTSHIFT(1, 64)", ""},
        {"INTBITLEFTSHIFT(1, -1)", ""},
        {"INTBITRIGHTSHIFT(1, 64)", ""},
    });
}

}  // namespace math_test
}  // namespace orrery::sql
