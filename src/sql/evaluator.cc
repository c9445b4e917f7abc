#include "sql/evaluator.h"

#include <array>

#include "base/utf8.h"
#include "sql/canonical.h"
#include "sql/functions/room.h"
#include "sql/operators.h"
#include "sql/subquery.h"

namespace orrery::sql {

Evaluator::Evaluator(std::uint32_t variable_count, const Surroundings& surroundings)
    : variables(variable_count),
      surroundings_(surroundings),
      budget_(surroundings.budget == nullptr ? unlimited_ : *surroundings.budget),
      own_(budget_) {}

Value Evaluator::evaluate(const BoundExpression& expression) {
    if (!budget_.count()) return Value::undefined();
    const auto operand = [&](std::size_t i) { return evaluate(*expression.operands[i]); };
    switch (expression.op) {
        case Op::kConstant:
            return expression.constant;
        case Op::kPath:
            return paths[expression.number];
        case Op::kVariable:
            return variables[expression.number];
        case Op::kMember:
            return operand(0).member(expression.name, *arena_);
        case Op::kElement:
            return operand(0).element(expression.number, *arena_);
        case Op::kUnary:
            return apply_unary(expression.unary, operand(0));
        case Op::kBinary: {
            const Value left = operand(0);
            return apply_binary(expression.binary, left, operand(1), *arena_);
        }
        case Op::kCoalesce: {
            const Value left = operand(0);
            return left.is_defined() ? left : operand(1);
        }
        case Op::kAnd:
        case Op::kOr: {
            LogicalFold fold(expression.op == Op::kAnd);
            for (const BoundPtr& term : expression.operands) {
                if (fold.add(evaluate(*term))) break;
            }
            return fold.result();
        }
        case Op::kConditional:
            return operand(operand(0).is_true() ? 1 : 2);
        case Op::kIn:
            return in(expression);
        case Op::kInConstants:
            return in_constants(expression);
        case Op::kLike:
            return like(expression);
        case Op::kCall:
        case Op::kUdf:
            return call(expression);
        case Op::kArray:
            return array(expression);
        case Op::kObject:
            return object(expression);
        case Op::kSubquery:
            return subquery(expression);
        case Op::kAggregate:
            return aggregates[expression.number];
        case Op::kGroupKey:
            return group_keys[expression.number];
        case Op::kItemNumber:
            return Value::number(static_cast<std::int64_t>(item_number));
    }
    return Value::undefined();
}

bool Evaluator::all_true(std::span<const BoundPtr> conditions) {
    for (const BoundPtr& condition : conditions) {
        if (!evaluate(*condition).is_true()) return false;
    }
    return true;
}

Value Evaluator::in(const BoundExpression& expression) {
    const Value needle = evaluate(*expression.operands[0]);
    if (needle.is_undefined()) return Value::undefined();
    for (std::size_t i = 1; i < expression.operands.size(); ++i) {
        const Value element = evaluate(*expression.operands[i]);
        if (element.is_defined() && equal(needle, element, *arena_)) return Value::boolean(true);
    }
    return Value::boolean(false);
}

Value Evaluator::in_constants(const BoundExpression& expression) {
    const Value needle = evaluate(*expression.operands[0]);
    if (needle.is_undefined()) return Value::undefined();
    scratch_.clear();
    append_canonical(scratch_, needle, *arena_);
    return Value::boolean(expression.set->contains(scratch_));
}

Value Evaluator::like(const BoundExpression& expression) {
    const Value text = evaluate(*expression.operands[0]);
    const Value pattern = evaluate(*expression.operands[1]);
    if (!text.is_string() || !pattern.is_string()) return Value::undefined();
    if (expression.pattern) {
        return Value::boolean(expression.pattern->matches(text.string(), *arena_));
    }
    if (!budget_.count(pattern.string().size())) return Value::undefined();
    return Value::boolean(
        LikePattern(pattern.string(), expression.escape).matches(text.string(), *arena_));
}

Value Evaluator::call(const BoundExpression& expression) {
    constexpr std::size_t kFewArguments = 8;
    const std::size_t count = expression.operands.size();
    if (count > kFewArguments) {
        std::vector<Value> arguments(count);
        for (std::size_t i = 0; i < count; ++i) {
            arguments[i] = evaluate(*expression.operands[i]);
        }
        return call_on(expression, arguments);
    }
    std::array<Value, kFewArguments> arguments;
    for (std::size_t i = 0; i < count; ++i) {
        arguments[i] = evaluate(*expression.operands[i]);
    }
    return call_on(expression, {arguments.data(), count});
}

Value Evaluator::call_on(const BoundExpression& expression, std::span<const Value> arguments) {
    FunctionContext context{.arena = *arena_,
                            .now_ticks = 0,
                            .query_ticks = surroundings_.start_ticks,
                            .random = 0,
                            .state = &expression.state,
                            .error = std::nullopt};
    Value result;
    if (expression.op == Op::kUdf) {
        result = call_udf(expression.number, arguments, context);
    } else {
        if (!expression.function->deterministic) {
            context.now_ticks = now_ticks();
            context.random = next_random();
        }
        result = call_function(*expression.function, arguments, context);
    }
    if (context.error) fail(*std::move(context.error));
    return result;
}

// Results of UDFs are limited like those of built-in functions.
Value Evaluator::call_udf(std::size_t udf,
                          std::span<const Value> arguments,
                          FunctionContext& context) {
    // The query has already failed and its results are discarded: run no more scripts.
    if (is_stopped() || !budget_.count_call()) return Value::undefined();
    CHECK(surroundings_.udfs != nullptr);
    auto result = surroundings_.udfs->call(udf, arguments, context.arena);
    if (!result) {
        context.error = std::move(result).take_error();
        return Value::undefined();
    }
    if (const auto text = result->raw()) {
        const Value copied = string_result(*text, context);
        if (copied.is_undefined()) return copied;
        return Value::from_json(copied.string(), context.arena);
    }
    if (result->is_string()) return string_result(result->string(), context);
    return copy(*result, context.arena);
}

Value Evaluator::array(const BoundExpression& expression) {
    const auto out = arena_->array<Value>(expression.operands.size());
    std::size_t count = 0;
    for (const BoundPtr& operand : expression.operands) {
        const Value element = evaluate(*operand);
        if (element.is_defined()) out[count++] = element;
    }
    return Value::array(out.first(count));
}

Value Evaluator::object(const BoundExpression& expression) {
    const auto out = arena_->array<Member>(expression.operands.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < expression.operands.size(); ++i) {
        const Value value = evaluate(*expression.operands[i]);
        if (value.is_defined()) out[count++] = {expression.names[i], value};
    }
    return Value::object(out.first(count));
}

Value Evaluator::subquery(const BoundExpression& expression) {
    const BoundQuery& query = *expression.query;
    if (expression.subquery == ast::SubqueryKind::kExists) return Value::boolean(has_row(query));
    const std::span<const Value> rows = rows_of(query);
    switch (expression.subquery) {
        case ast::SubqueryKind::kArray:
            return Value::array(rows);
        case ast::SubqueryKind::kAll: {
            for (const Value& row : rows) {
                if (row.is_false()) return Value::boolean(false);
            }
            return Value::boolean(true);
        }
        case ast::SubqueryKind::kFirst:
            return rows.empty() ? Value::undefined() : rows.front();
        case ast::SubqueryKind::kLast:
            return rows.empty() ? Value::undefined() : rows.back();
        default:
            if (rows.size() > 1) {
                fail(Error(ErrorCode::kBadRequest,
                           "{\"Errors\":[\"The cardinality of a scalar subquery result set cannot "
                           "be greater than one.\"]}"));
            }
            return rows.empty() ? Value::undefined() : rows.front();
    }
}

std::span<const Value> Evaluator::rows_of(const BoundQuery& query) {
    return SubqueryRun(query, *this).all();
}

bool Evaluator::has_row(const BoundQuery& query) { return SubqueryRun(query, *this).any(); }

void Evaluator::fail(Error error) {
    // Values are meaningless once the budget is used up, and so are errors about them.
    if (!is_stopped()) error_ = std::move(error);
}

Status Evaluator::take_status() {
    if (auto error = take_error()) return *std::move(error);
    return budget_.status();
}

double Evaluator::next_random() {
    if (!random_) random_.emplace(surroundings_.random_seed);
    return static_cast<double>((*random_)() >> 11) * 0x1.0p-53;
}

std::int64_t Evaluator::now_ticks() const {
    using Ticks = std::chrono::duration<std::int64_t, std::ratio<1, 10'000'000>>;
    return std::chrono::duration_cast<Ticks>(surroundings_.clock->now()).count();
}

}  // namespace orrery::sql
