// Arithmetic on 64-bit integers. The service does not document overflow; here the result is
// undefined, because wrapping around would be silently wrong.

#include <limits>

#include "sql/functions/arguments.h"
#include "sql/functions/groups.h"

namespace orrery::sql {

namespace {

using Integer = std::int64_t;
using Maybe = std::optional<Integer>;

constexpr Integer kMin = std::numeric_limits<Integer>::min();

Maybe add(Integer a, Integer b) {
    Integer out = 0;
    if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
    return out;
}

Maybe subtract(Integer a, Integer b) {
    Integer out = 0;
    if (__builtin_sub_overflow(a, b, &out)) return std::nullopt;
    return out;
}

Maybe multiply(Integer a, Integer b) {
    Integer out = 0;
    if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
    return out;
}

Maybe divide(Integer a, Integer b) {
    if (b == 0 || (a == kMin && b == -1)) return std::nullopt;
    return a / b;
}

Maybe remainder(Integer a, Integer b) {
    if (b == 0) return std::nullopt;
    return b == -1 ? 0 : a % b;
}

Maybe bit_and(Integer a, Integer b) { return a & b; }
Maybe bit_or(Integer a, Integer b) { return a | b; }
Maybe bit_xor(Integer a, Integer b) { return a ^ b; }

bool is_shift(Integer count) { return count >= 0 && count < 64; }

Maybe shift_left(Integer a, Integer count) {
    if (!is_shift(count)) return std::nullopt;
    return static_cast<Integer>(static_cast<std::uint64_t>(a) << count);
}

Maybe shift_right(Integer a, Integer count) {
    if (!is_shift(count)) return std::nullopt;
    return a >> count;
}

template <Maybe (*Operation)(Integer, Integer)>
Value binary(std::span<const Value> arguments, FunctionContext& /*context*/) {
    const Maybe a = whole(arguments[0]);
    const Maybe b = whole(arguments[1]);
    if (!a || !b) return Value::undefined();
    const Maybe result = Operation(*a, *b);
    return result ? Value::number(*result) : Value::undefined();
}

Value bit_not(std::span<const Value> arguments, FunctionContext& /*context*/) {
    const Maybe a = whole(arguments[0]);
    return a ? Value::number(~*a) : Value::undefined();
}

constexpr Function kIntegerFunctions[] = {
    {"INTADD",
     2,
     2,
     "n",
     binary<add>,
     "INTADD(a, b)",
     "The sum of two integers; undefined when one is not an integer or the result exceeds 64 bits.",
     {"INTADD(20, 10)", "30"}},
    {"INTSUB",
     2,
     2,
     "n",
     binary<subtract>,
     "INTSUB(a, b)",
     "The difference of two integers.",
     {"INTSUB(20, 10)", "10"}},
    {"INTMUL",
     2,
     2,
     "n",
     binary<multiply>,
     "INTMUL(a, b)",
     "The product of two integers.",
     {"INTMUL(5, -2)", "-10"}},
    {"INTDIV",
     2,
     2,
     "n",
     binary<divide>,
     "INTDIV(a, b)",
     "The integer quotient, truncated towards zero; undefined when `b` is 0.",
     {"INTDIV(10, 3)", "3"}},
    {"INTMOD",
     2,
     2,
     "n",
     binary<remainder>,
     "INTMOD(a, b)",
     "The remainder of the division, with the sign of `a`; undefined when `b` is 0.",
     {"INTMOD(12, -5)", "2"}},
    {"INTBITAND",
     2,
     2,
     "n",
     binary<bit_and>,
     "INTBITAND(a, b)",
     "The bits set in both integers.",
     {"INTBITAND(15, 25)", "9"}},
    {"INTBITOR",
     2,
     2,
     "n",
     binary<bit_or>,
     "INTBITOR(a, b)",
     "The bits set in one of the integers or both.",
     {"INTBITOR(56, 100)", "124"}},
    {"INTBITXOR",
     2,
     2,
     "n",
     binary<bit_xor>,
     "INTBITXOR(a, b)",
     "The bits set in exactly one of the integers.",
     {"INTBITXOR(56, 100)", "92"}},
    {"INTBITNOT",
     1,
     1,
     "n",
     bit_not,
     "INTBITNOT(a)",
     "The integer with every bit inverted.",
     {"INTBITNOT(65)", "-66"}},
    {"INTBITLEFTSHIFT",
     2,
     2,
     "n",
     binary<shift_left>,
     "INTBITLEFTSHIFT(a, count)",
     "The bits shifted left; undefined when the count is not 0 to 63.",
     {"INTBITLEFTSHIFT(16, 4)", "256"}},
    {"INTBITRIGHTSHIFT",
     2,
     2,
     "n",
     binary<shift_right>,
     "INTBITRIGHTSHIFT(a, count)",
     "The bits shifted right, keeping the sign; undefined when the count is not 0 to 63.",
     {"INTBITRIGHTSHIFT(16, 4)", "1"}},
};

}  // namespace

std::span<const Function> integer_functions() { return kIntegerFunctions; }

}  // namespace orrery::sql
