#include <cmath>
#include <limits>
#include <numbers>

#include "sql/functions/arguments.h"
#include "sql/functions/groups.h"

namespace orrery::sql {

namespace {

using json::Number;
using Arguments = std::span<const Value>;
using Integer = std::int64_t;

template <double (*Operation)(double)>
Value real(Arguments arguments, FunctionContext& /*context*/) {
    return Value::number(Operation(arguments[0].number().real()));
}

// For operations that leave integers unchanged.
template <double (*Operation)(double)>
Value rounded(Arguments arguments, FunctionContext& /*context*/) {
    const Number n = arguments[0].number();
    return n.is_integer() ? arguments[0] : Value::number(Operation(n.real()));
}

double cotangent(double n) { return 1 / std::tan(n); }
double degrees(double n) { return n * 180 / std::numbers::pi; }
double radians(double n) { return n * std::numbers::pi / 180; }

Value absolute(Arguments arguments, FunctionContext& /*context*/) {
    const Number n = arguments[0].number();
    if (!n.is_integer() || n.integer() == std::numeric_limits<Integer>::min()) {
        return Value::number(std::fabs(n.real()));
    }
    return Value::number(n.integer() < 0 ? -n.integer() : n.integer());
}

Value sign(Arguments arguments, FunctionContext& /*context*/) {
    const Number n = arguments[0].number();
    if (n > 0) return Value::number(1);
    if (n < 0) return Value::number(-1);
    return n == 0 ? Value::number(0) : arguments[0];  // NaN stays NaN
}

Value square(Arguments arguments, FunctionContext& /*context*/) {
    const Number n = arguments[0].number();
    Integer out = 0;
    if (n.is_integer() && !__builtin_mul_overflow(n.integer(), n.integer(), &out)) {
        return Value::number(out);
    }
    return Value::number(n.real() * n.real());
}

// Nothing on overflow.
std::optional<Integer> integer_power(Integer base, Integer exponent) {
    Integer out = 1;
    while (exponent > 0) {
        if (exponent % 2 == 1 && __builtin_mul_overflow(out, base, &out)) return std::nullopt;
        exponent /= 2;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) return std::nullopt;
    }
    return out;
}

Value power(Arguments arguments, FunctionContext& /*context*/) {
    const Number base = arguments[0].number();
    const Number exponent = arguments[1].number();
    if (base.is_integer() && exponent.is_integer() && exponent.integer() >= 0) {
        const auto exact = integer_power(base.integer(), exponent.integer());
        if (exact) return Value::number(*exact);
    }
    return Value::number(std::pow(base.real(), exponent.real()));
}

Value logarithm(Arguments arguments, FunctionContext& /*context*/) {
    const double n = arguments[0].number().real();
    if (arguments.size() == 1) return Value::number(std::log(n));
    const double base = arguments[1].number().real();
    // Exact where the quotient of two logarithms is not: LOG(8, 2) is 3.
    if (base == 10) return Value::number(std::log10(n));
    if (base == 2) return Value::number(std::log2(n));
    return Value::number(std::log(n) / std::log(base));
}

Value arctangent2(Arguments arguments, FunctionContext& /*context*/) {
    return Value::number(std::atan2(arguments[0].number().real(), arguments[1].number().real()));
}

// floor(n / size) * size, exactly; nothing on overflow.
std::optional<Integer> integer_bin(Integer n, Integer size) {
    if (size == -1) return n;
    Integer above = n % size;
    if (above != 0 && (above < 0) != (size < 0)) above += size;
    Integer out = 0;
    if (__builtin_sub_overflow(n, above, &out)) return std::nullopt;
    return out;
}

Value number_bin(Arguments arguments, FunctionContext& /*context*/) {
    const Number n = arguments[0].number();
    const Number size = arguments.size() > 1 ? arguments[1].number() : Number(1);
    if (size == 0 || !size.is_finite()) return Value::undefined();
    if (n.is_integer() && size.is_integer()) {
        const auto exact = integer_bin(n.integer(), size.integer());
        if (exact) return Value::number(*exact);
    }
    return Value::number(std::floor(n.real() / size.real()) * size.real());
}

Value pi(Arguments /*arguments*/, FunctionContext& /*context*/) {
    return Value::number(std::numbers::pi);
}

Value random(Arguments /*arguments*/, FunctionContext& context) {
    return Value::number(context.random);
}

constexpr Function kMathFunctions[] = {
    {"ABS", 1, 1, "n", absolute, "ABS(n)", "The absolute value.", {"ABS(-1)", "1"}},
    {"ACOS",
     1,
     1,
     "n",
     real<std::acos>,
     "ACOS(n)",
     "The angle in radians whose cosine is `n`.",
     {"ACOS(-1)", "3.1415926535897931"}},
    {"ASIN",
     1,
     1,
     "n",
     real<std::asin>,
     "ASIN(n)",
     "The angle in radians whose sine is `n`.",
     {"ASIN(-1)", "-1.5707963267948966"}},
    {"ATAN",
     1,
     1,
     "n",
     real<std::atan>,
     "ATAN(n)",
     "The angle in radians whose tangent is `n`.",
     {"ATAN(-45.01)", "-1.5485826962062663"}},
    {"ATN2",
     2,
     2,
     "n",
     arctangent2,
     "ATN2(y, x)",
     "The angle in radians between the x axis and the line to the point (x, y).",
     {"ATN2(35.175643, 129.44)", "0.265344532064832"}},
    {"CEILING",
     1,
     1,
     "n",
     rounded<std::ceil>,
     "CEILING(n)",
     "The smallest integer that is not below `n`.",
     {"CEILING(-45.72)", "-45"}},
    {"COS",
     1,
     1,
     "n",
     real<std::cos>,
     "COS(n)",
     "The cosine of an angle in radians.",
     {"COS(14.78)", "-0.59946542619465426"}},
    {"COT",
     1,
     1,
     "n",
     real<cotangent>,
     "COT(n)",
     "The cotangent of an angle in radians.",
     {"COT(124.1332)", "-0.040311998371148884"}},
    {"DEGREES",
     1,
     1,
     "n",
     real<degrees>,
     "DEGREES(n)",
     "Converts an angle from radians to degrees.",
     {"DEGREES(1.5707963267948966)", "90"}},
    {"EXP",
     1,
     1,
     "n",
     real<std::exp>,
     "EXP(n)",
     "e to the power of `n`.",
     {"EXP(10)", "22026.465794806718"}},
    {"FLOOR",
     1,
     1,
     "n",
     rounded<std::floor>,
     "FLOOR(n)",
     "The largest integer that is not above `n`.",
     {"FLOOR(-145.12)", "-146"}},
    {"LOG",
     1,
     2,
     "n",
     logarithm,
     "LOG(n [, base])",
     "The logarithm of `n` to the base, or to base e without one.",
     {"LOG(2, 10)", "0.3010299956639812"}},
    {"LOG10",
     1,
     1,
     "n",
     real<std::log10>,
     "LOG10(n)",
     "The logarithm of `n` to base 10.",
     {"LOG10(100)", "2"}},
    {"NUMBERBIN",
     1,
     2,
     "n",
     number_bin,
     "NUMBERBIN(n [, size])",
     "`n` rounded down to a multiple of the size (default 1).",
     {"NUMBERBIN(37.752, 10)", "30"}},
    {"PI", 0, 0, "", pi, "PI()", "The number π.", {"PI()", "3.1415926535897931"}},
    {"POWER",
     2,
     2,
     "n",
     power,
     "POWER(n, m)",
     "`n` to the power of `m`, exact for integers that fit 64 bits.",
     {"POWER(5, 5)", "3125"}},
    {"RADIANS",
     1,
     1,
     "n",
     real<radians>,
     "RADIANS(n)",
     "Converts an angle from degrees to radians.",
     {"RADIANS(180)", "3.1415926535897931"}},
    {"RAND",
     0,
     0,
     "",
     random,
     "RAND()",
     "A random number from 0 up to, but not including, 1.",
     {"IS_NUMBER(RAND())", "true"},
     {},
     false},
    {"ROUND",
     1,
     1,
     "n",
     rounded<std::round>,
     "ROUND(n)",
     "The nearest integer; halves are rounded away from zero.",
     {"ROUND(-6.5)", "-7"}},
    {"SIGN", 1, 1, "n", sign, "SIGN(n)", "-1, 0 or 1.", {"SIGN(-2)", "-1"}},
    {"SIN",
     1,
     1,
     "n",
     real<std::sin>,
     "SIN(n)",
     "The sine of an angle in radians.",
     {"SIN(0)", "0"}},
    {"SQRT", 1, 1, "n", real<std::sqrt>, "SQRT(n)", "The square root.", {"SQRT(9)", "3"}},
    {"SQUARE", 1, 1, "n", square, "SQUARE(n)", "The square of the number.", {"SQUARE(3)", "9"}},
    {"TAN",
     1,
     1,
     "n",
     real<std::tan>,
     "TAN(n)",
     "The tangent of an angle in radians.",
     {"TAN(0)", "0"}},
    {"TRUNC",
     1,
     1,
     "n",
     rounded<std::trunc>,
     "TRUNC(n)",
     "The number without its fraction.",
     {"TRUNC(-2.78)", "-2"}},
};

}  // namespace

std::span<const Function> math_functions() { return kMathFunctions; }

}  // namespace orrery::sql
