#include "sql/operators.h"

#include <algorithm>
#include <cmath>

namespace orrery::sql {

namespace {

using ast::BinaryOperator;
using ast::UnaryOperator;

// JavaScript's ToInt32: modulo 2^32, fractions truncated, NaN and infinities 0.
std::uint32_t to_uint32(const json::Number& number) {
    if (number.is_integer()) return static_cast<std::uint32_t>(number.integer());
    const double real = number.real();
    if (!std::isfinite(real)) return 0;
    constexpr double kTwo32 = 4294967296.0;
    double rest = std::fmod(std::trunc(real), kTwo32);
    if (rest < 0) rest += kTwo32;
    return static_cast<std::uint32_t>(rest);
}

std::int32_t to_int32(const json::Number& number) {
    return static_cast<std::int32_t>(to_uint32(number));
}

Value signed_result(std::uint32_t bits) {
    return Value::number(std::int64_t{static_cast<std::int32_t>(bits)});
}

// Exact while the result fits 64 bits, else the nearest double.
Value add_exactly(BinaryOperator op, const json::Number& a, const json::Number& b) {
    std::int64_t out = 0;
    bool overflow = false;
    switch (op) {
        case BinaryOperator::kAdd:
            overflow = __builtin_add_overflow(a.integer(), b.integer(), &out);
            break;
        case BinaryOperator::kSubtract:
            overflow = __builtin_sub_overflow(a.integer(), b.integer(), &out);
            break;
        default:
            overflow = __builtin_mul_overflow(a.integer(), b.integer(), &out);
            break;
    }
    if (!overflow) return Value::number(out);
    const double x = a.real();
    const double y = b.real();
    if (op == BinaryOperator::kAdd) return Value::number(x + y);
    return Value::number(op == BinaryOperator::kSubtract ? x - y : x * y);
}

Value modulo(const json::Number& a, const json::Number& b) {
    if (a.is_integer() && b.is_integer() && b.integer() != 0) {
        // INT64_MIN % -1 overflows.
        return Value::number(b.integer() == -1 ? std::int64_t{0} : a.integer() % b.integer());
    }
    return Value::number(std::fmod(a.real(), b.real()));
}

Value arithmetic(BinaryOperator op, const json::Number& a, const json::Number& b) {
    switch (op) {
        case BinaryOperator::kAdd:
        case BinaryOperator::kSubtract:
        case BinaryOperator::kMultiply:
            if (a.is_integer() && b.is_integer()) return add_exactly(op, a, b);
            if (op == BinaryOperator::kAdd) return Value::number(a.real() + b.real());
            if (op == BinaryOperator::kSubtract) return Value::number(a.real() - b.real());
            return Value::number(a.real() * b.real());
        case BinaryOperator::kDivide:
            return Value::number(a.real() / b.real());
        case BinaryOperator::kModulo:
            return modulo(a, b);
        case BinaryOperator::kBitOr:
            return signed_result(to_uint32(a) | to_uint32(b));
        case BinaryOperator::kBitXor:
            return signed_result(to_uint32(a) ^ to_uint32(b));
        case BinaryOperator::kBitAnd:
            return signed_result(to_uint32(a) & to_uint32(b));
        case BinaryOperator::kShiftLeft:
            return signed_result(to_uint32(a) << (to_uint32(b) & 31));
        case BinaryOperator::kShiftRight:
            return Value::number(std::int64_t{to_int32(a) >> (to_uint32(b) & 31)});
        case BinaryOperator::kShiftRightUnsigned:
            return Value::number(std::int64_t{to_uint32(a) >> (to_uint32(b) & 31)});
        default:
            return Value::undefined();
    }
}

bool holds(BinaryOperator op, std::partial_ordering order) {
    switch (op) {
        case BinaryOperator::kLess:
            return order < 0;
        case BinaryOperator::kLessOrEqual:
            return order <= 0;
        case BinaryOperator::kGreater:
            return order > 0;
        default:
            return order >= 0;
    }
}

// Defined only within one kind, and not for arrays or objects.
Value relational(BinaryOperator op, const Value& a, const Value& b) {
    if (a.kind() != b.kind()) return Value::undefined();
    switch (a.kind()) {
        case Kind::kNull:
            return Value::boolean(holds(op, std::partial_ordering::equivalent));
        case Kind::kBoolean:
            return Value::boolean(holds(op, a.boolean() <=> b.boolean()));
        case Kind::kNumber:
            return Value::boolean(holds(op, a.number() <=> b.number()));
        case Kind::kString:
            return Value::boolean(holds(op, compare_utf16(a.string(), b.string())));
        default:
            return Value::undefined();
    }
}

Value concatenate(const Value& a, const Value& b, Arena& arena) {
    if (!a.is_string() || !b.is_string()) return Value::undefined();
    const std::size_t size = a.string().size() + b.string().size();
    if (!arena.has_room(size) || !arena.count_bytes(size)) return Value::undefined();
    const auto out = arena.array<char>(size);
    char* end = std::copy(a.string().begin(), a.string().end(), out.data());
    std::copy(b.string().begin(), b.string().end(), end);
    return Value::string({out.data(), out.size()});
}

}  // namespace

Value sum(const json::Number& a, const json::Number& b) {
    return arithmetic(BinaryOperator::kAdd, a, b);
}

Value apply_unary(UnaryOperator op, const Value& operand) {
    if (op == UnaryOperator::kNot) return logical_not(operand);
    if (!operand.is_number()) return Value::undefined();
    const json::Number number = operand.number();
    switch (op) {
        case UnaryOperator::kPlus:
            return operand;
        case UnaryOperator::kBitNot:
            return signed_result(~to_uint32(number));
        default:
            if (number.is_integer() && number.integer() != INT64_MIN) {
                return Value::number(-number.integer());
            }
            return Value::number(-number.real());
    }
}

Value apply_binary(BinaryOperator op, const Value& left, const Value& right, Arena& arena) {
    switch (op) {
        case BinaryOperator::kEqual:
        case BinaryOperator::kNotEqual:
            if (left.is_undefined() || right.is_undefined()) return Value::undefined();
            return Value::boolean(equal(left, right, arena) == (op == BinaryOperator::kEqual));
        case BinaryOperator::kLess:
        case BinaryOperator::kLessOrEqual:
        case BinaryOperator::kGreater:
        case BinaryOperator::kGreaterOrEqual:
            if (left.is_string() && right.is_string()) {
                arena.count_bytes(std::min(left.string().size(), right.string().size()));
            }
            return relational(op, left, right);
        case BinaryOperator::kConcat:
            return concatenate(left, right, arena);
        default:
            if (!left.is_number() || !right.is_number()) return Value::undefined();
            return arithmetic(op, left.number(), right.number());
    }
}

Value logical_not(const Value& operand) {
    return operand.is_boolean() ? Value::boolean(!operand.boolean()) : Value::undefined();
}

bool LogicalFold::add(const Value& term) {
    if (!term.is_boolean()) {
        undefined_ = true;
    } else if (term.boolean() != is_and_) {
        decided_ = true;
    }
    return decided_;
}

Value LogicalFold::result() const {
    if (decided_) return Value::boolean(!is_and_);
    return undefined_ ? Value::undefined() : Value::boolean(is_and_);
}

}  // namespace orrery::sql
