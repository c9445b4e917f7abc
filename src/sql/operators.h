// Semantics of the operators. Undefined operands and operands of a wrong kind give undefined;
// nothing here can fail.

#pragma once

#include <optional>

#include "sql/arena.h"
#include "sql/ast.h"
#include "sql/value.h"

namespace orrery::sql {

// a + b, exact for integers as far as they fit.
Value sum(const json::Number& a, const json::Number& b);

Value apply_unary(ast::UnaryOperator op, const Value& operand);

// All but ??, which must evaluate its right side only when needed.
Value apply_binary(ast::BinaryOperator op, const Value& left, const Value& right, Arena& arena);

// AND, OR and NOT distinguish true, false and everything else, which counts as undefined.
Value logical_not(const Value& operand);
class LogicalFold {
public:
    explicit LogicalFold(bool is_and) : is_and_(is_and) {}

    // True when the result is certain and no further term matters.
    bool add(const Value& term);
    Value result() const;

private:
    bool is_and_;
    bool decided_ = false;
    bool undefined_ = false;
};

}  // namespace orrery::sql
