#include <algorithm>

#include "base/ascii.h"
#include "model/limits.h"
#include "sql/errors.h"
#include "sql/literal.h"
#include "sql/parser_state.h"

namespace orrery::sql {

namespace limits = model::limits;

template <typename Node>
Result<Parser::Parsed> Parser::made(Node node, Location location, std::size_t below, Level level) {
    if (below >= limits::kQueryDepthMax) return too_deep();
    return Parsed{ast::make(std::move(node), location), below + 1, level, nullptr};
}

template <typename Node>
Parser::Parsed Parser::literal(Node node) {
    return Parsed{ast::make(std::move(node), advance().location), 1, kTightest, nullptr};
}

// Parses an expression whose operators bind at least as tightly as `minimum`.
Result<Parser::Parsed> Parser::expression(Level minimum) {
    const Descent descent(*this);
    TRY(within_depth());
    Parsed left = TRY(prefix());
    return operators_after(std::move(left), minimum);
}

Result<Parser::Parsed> Parser::operators_after(Parsed left, Level minimum) {
    for (;;) {
        const auto level = level_here();
        if (!level || *level < minimum || *level > left.level) return left;
        left = TRY(operator_after(std::move(left), *level));
    }
}

Result<Parser::Parsed> Parser::operator_after(Parsed left, Level level) {
    switch (level) {
        case kPostfix:
            return at(TokenKind::kDot) ? member(left) : subscript(left);
        case kConditional:
            return conditional(left);
        case kAnd:
        case kOr:
            return logical(std::move(left));
        case kPredicate:
            return predicate(left);
        default:
            return binary(left);
    }
}

Result<Parser::Parsed> Parser::binary(const Parsed& left) {
    const Infix infix = binary_operator(advance().kind).value();
    const bool from_right = infix.level == kCoalesce;
    Parsed right = TRY(expression(static_cast<Level>(infix.level + (from_right ? 0 : 1))));
    return made(ast::Binary{infix.op, left.expression, right.expression},
                {left.expression->location.start, right.expression->location.end},
                std::max(left.height, right.height),
                infix.level);
}

std::optional<Parser::Level> Parser::level_here() const {
    switch (token_.kind) {
        case TokenKind::kDot:
        case TokenKind::kLeftBracket:
            return kPostfix;
        case TokenKind::kQuestion:
            return kConditional;
        case TokenKind::kOr:
            return kOr;
        case TokenKind::kAnd:
            return kAnd;
        case TokenKind::kIn:
        case TokenKind::kBetween:
        case TokenKind::kLike:
        case TokenKind::kNot:
            return kPredicate;
        default: {
            const auto infix = binary_operator(token_.kind);
            return infix ? std::optional(infix->level) : std::nullopt;
        }
    }
}

std::optional<Parser::Infix> Parser::binary_operator(TokenKind kind) {
    using Op = ast::BinaryOperator;
    switch (kind) {
        case TokenKind::kCoalesce:
            return Infix{kCoalesce, Op::kCoalesce};
        case TokenKind::kConcat:
            return Infix{kConcat, Op::kConcat};
        case TokenKind::kPipe:
            return Infix{kSum, Op::kBitOr};
        case TokenKind::kCaret:
            return Infix{kSum, Op::kBitXor};
        case TokenKind::kAmpersand:
            return Infix{kSum, Op::kBitAnd};
        case TokenKind::kEqual:
            return Infix{kComparison, Op::kEqual};
        case TokenKind::kNotEqual:
            return Infix{kComparison, Op::kNotEqual};
        case TokenKind::kLess:
            return Infix{kComparison, Op::kLess};
        case TokenKind::kLessOrEqual:
            return Infix{kComparison, Op::kLessOrEqual};
        case TokenKind::kGreater:
            return Infix{kComparison, Op::kGreater};
        case TokenKind::kGreaterOrEqual:
            return Infix{kComparison, Op::kGreaterOrEqual};
        case TokenKind::kShiftLeft:
            return Infix{kComparison, Op::kShiftLeft};
        case TokenKind::kShiftRight:
            return Infix{kComparison, Op::kShiftRight};
        case TokenKind::kShiftRightUnsigned:
            return Infix{kComparison, Op::kShiftRightUnsigned};
        case TokenKind::kPlus:
            return Infix{kSum, Op::kAdd};
        case TokenKind::kMinus:
            return Infix{kSum, Op::kSubtract};
        case TokenKind::kStar:
            return Infix{kProduct, Op::kMultiply};
        case TokenKind::kSlash:
            return Infix{kProduct, Op::kDivide};
        case TokenKind::kPercent:
            return Infix{kProduct, Op::kModulo};
        default:
            return std::nullopt;
    }
}

Result<Parser::Parsed> Parser::prefix() {
    switch (token_.kind) {
        case TokenKind::kMinus:
            return unary(ast::UnaryOperator::kMinus);
        case TokenKind::kPlus:
            return unary(ast::UnaryOperator::kPlus);
        case TokenKind::kTilde:
            return unary(ast::UnaryOperator::kBitNot);
        case TokenKind::kNot:
            return unary(ast::UnaryOperator::kNot);
        case TokenKind::kLeftParen:
            return parenthesized();
        default:
            return primary();
    }
}

Result<Parser::Parsed> Parser::unary(ast::UnaryOperator op) {
    const Location start = advance().location;
    const bool is_not = op == ast::UnaryOperator::kNot;
    // NOT c.a = 1 means NOT (c.a = 1), as in SQL everywhere. The service's own grammar reportedly
    // binds NOT as tightly as a sign (microsoft/vscode-cosmosdb, cpp-parity.md), which makes it
    // undefined for every c.a that is not a boolean, which no author intends.
    Parsed operand = TRY(expression(is_not ? kPredicate : kUnary));
    return made(
        ast::Unary{op, operand.expression}, since(start), operand.height, is_not ? kNot : kUnary);
}

// Consecutive parentheses are parsed in a loop: the printer writes a chain of ten thousand ORs with
// as many of them.
Result<Parser::Parsed> Parser::parenthesized() {
    std::size_t open = 0;
    while (take(TokenKind::kLeftParen)) {
        ++open;
    }
    Parsed inside;
    if (at(TokenKind::kSelect)) {
        inside = TRY(subquery(ast::SubqueryKind::kScalar, token_.location));
        --open;
        if (open != 0) inside = TRY(operators_after(std::move(inside), kConditional));
    } else {
        inside = TRY(expression());
    }
    while (open != 0) {
        TRY(expect(TokenKind::kRightParen));
        inside.level = kTightest;
        --open;
        if (open != 0) inside = TRY(operators_after(std::move(inside), kConditional));
    }
    return inside;
}

Result<Parser::Parsed> Parser::primary() {
    switch (token_.kind) {
        case TokenKind::kNumber:
            return literal(ast::Number{std::string(token_.text)});
        case TokenKind::kString:
            return literal(ast::String{string_value(token_.text).value()});
        case TokenKind::kParameter:
            return literal(ast::Parameter{std::string(token_.text)});
        case TokenKind::kTrue:
            return literal(ast::Boolean{true});
        case TokenKind::kFalse:
            return literal(ast::Boolean{false});
        case TokenKind::kNull:
            return literal(ast::Null{});
        case TokenKind::kUndefined:
            return literal(ast::Undefined{});
        case TokenKind::kLeftBracket:
            return array();
        case TokenKind::kLeftBrace:
            return object();
        case TokenKind::kUdf:
        case TokenKind::kLeft:
        case TokenKind::kRight:
        case TokenKind::kIdentifier:
        case TokenKind::kExists:
        case TokenKind::kArray:
            return word();
        default:
            return unexpected();
    }
}

Result<Parser::Parsed> Parser::word() {
    if (const auto kind = subquery_ahead()) {
        const Location start = advance().location;
        advance();
        return subquery(*kind, start);
    }
    if (at(TokenKind::kUdf)) return call(true);
    if (next_at(TokenKind::kLeftParen) && !at(TokenKind::kExists) && !at(TokenKind::kArray)) {
        return call(false);
    }
    if (at(TokenKind::kExists) || at(TokenKind::kArray)) {
        // Only a query may follow the parenthesis.
        advance();
        take(TokenKind::kLeftParen);
        return unexpected();
    }
    if (!at(TokenKind::kIdentifier)) return unexpected();
    if (token_.text == "NaN" || token_.text == "Infinity") {
        return literal(ast::Number{std::string(token_.text)});
    }
    return literal(ast::Identifier{std::string(token_.text)});
}

std::optional<ast::SubqueryKind> Parser::subquery_ahead() const {
    if (!next_at(TokenKind::kLeftParen)) return std::nullopt;
    Lexer ahead = lexer_;
    if (ahead.next().kind != TokenKind::kSelect) return std::nullopt;
    if (at(TokenKind::kExists)) return ast::SubqueryKind::kExists;
    if (at(TokenKind::kArray)) return ast::SubqueryKind::kArray;
    if (at_word("ALL")) return ast::SubqueryKind::kAll;
    if (at_word("FIRST")) return ast::SubqueryKind::kFirst;
    if (at_word("LAST")) return ast::SubqueryKind::kLast;
    return std::nullopt;
}

Result<Parser::Parsed> Parser::call(bool udf) {
    const Location start = token_.location;
    if (udf) {
        advance();
        TRY(expect(TokenKind::kDot));
        if (!at(TokenKind::kIdentifier)) return unexpected();
        ++udf_calls_;
    }
    const std::string name(advance().text);
    TRY(expect(TokenKind::kLeftParen));
    ParsedList arguments = TRY(list(TokenKind::kRightParen));
    return made(
        ast::Call{name, udf, std::move(arguments.expressions)}, since(start), arguments.height);
}

// At SELECT, after the opening parenthesis.
Result<Parser::Parsed> Parser::subquery(ast::SubqueryKind kind, Location start) {
    ParsedQuery parsed = TRY(query());
    TRY(expect(TokenKind::kRightParen));
    return made(ast::Subquery{kind, std::move(parsed.query)}, since(start), parsed.height);
}

Result<Parser::Parsed> Parser::array() {
    const Location start = advance().location;
    ParsedList elements = TRY(list(TokenKind::kRightBracket));
    return made(ast::Array{std::move(elements.expressions)}, since(start), elements.height);
}

// May be empty; consumes the closing token.
Result<Parser::ParsedList> Parser::list(TokenKind closing) {
    ParsedList out;
    if (take(closing)) return out;
    do {
        Parsed element = TRY(expression());
        out.expressions.push_back(std::move(element.expression));
        out.height = std::max(out.height, element.height);
    } while (take(TokenKind::kComma));
    TRY(expect(closing));
    return out;
}

Result<Parser::Parsed> Parser::object() {
    const Location start = advance().location;
    ast::Object object;
    std::size_t height = 0;
    while (!at(TokenKind::kRightBrace)) {
        if (!object.properties.empty()) TRY(expect(TokenKind::kComma));
        ast::Name key{std::string(token_.text), token_.location};
        if (at(TokenKind::kString)) {
            key.text = string_value(token_.text).value();
        } else if (!at(TokenKind::kIdentifier)) {
            return unexpected();
        }
        advance();
        TRY(expect(TokenKind::kColon));
        Parsed value = TRY(expression());
        object.properties.push_back({std::move(key), std::move(value.expression)});
        height = std::max(height, value.height);
    }
    advance();
    return made(std::move(object), since(start), height);
}

Result<Parser::Parsed> Parser::member(const Parsed& base) {
    advance();
    ast::Name step = TRY(name());
    const Location location{base.expression->location.start, step.location.end};
    return made(
        ast::Member{base.expression, std::move(step.text), true}, location, base.height, kPostfix);
}

Result<Parser::Parsed> Parser::subscript(const Parsed& base) {
    advance();
    Parsed index = TRY(expression());
    TRY(expect(TokenKind::kRightBracket));
    const Location location = since(base.expression->location);
    if (const auto* text = std::get_if<ast::String>(&index.expression->node)) {
        return made(
            ast::Member{base.expression, text->value, false}, location, base.height, kPostfix);
    }
    const std::size_t below = std::max(base.height, index.height);
    return made(ast::Subscript{base.expression, index.expression}, location, below, kPostfix);
}

Result<Parser::Parsed> Parser::conditional(const Parsed& condition) {
    advance();
    Parsed then = TRY(expression());
    TRY(expect(TokenKind::kColon));
    Parsed otherwise = TRY(expression());
    const std::size_t below = std::max({condition.height, then.height, otherwise.height});
    return made(ast::Conditional{condition.expression, then.expression, otherwise.expression},
                since(condition.expression->location),
                below,
                kLoosest);
}

// (a AND b) AND c is the same chain as a AND b AND c: nothing else refers to the left chain yet, so
// it can grow in place.
Result<Parser::Parsed> Parser::logical(Parsed left) {
    const bool is_and = advance().kind == TokenKind::kAnd;
    const Level level = is_and ? kAnd : kOr;
    Parsed right = TRY(expression(static_cast<Level>(level + 1)));
    if (right.height >= limits::kQueryDepthMax) return too_deep();
    auto* chain = left.chain ? std::get_if<ast::Logical>(&left.chain->node) : nullptr;
    if (chain == nullptr || chain->is_and != is_and) {
        if (left.height >= limits::kQueryDepthMax) return too_deep();
        const std::size_t height = left.height + 1;
        const Location location = left.expression->location;
        left.chain = std::make_shared<ast::Expression>(
            ast::Expression{ast::Logical{is_and, {std::move(left.expression)}}, location});
        left.expression = left.chain;
        left.height = height;
        chain = std::get_if<ast::Logical>(&left.chain->node);
    }
    left.chain->location.end = right.expression->location.end;
    chain->terms.push_back(std::move(right.expression));
    left.height = std::max(left.height, right.height + 1);
    left.level = level;
    return left;
}

Result<Parser::Parsed> Parser::predicate(const Parsed& operand) {
    const bool negated = take(TokenKind::kNot);
    switch (token_.kind) {
        case TokenKind::kIn:
            return in(operand, negated);
        case TokenKind::kBetween:
            return between(operand, negated);
        case TokenKind::kLike:
            return like(operand, negated);
        default:
            return unexpected();
    }
}

// The result has the level of NOT, so that no second predicate can follow.
Result<Parser::Parsed> Parser::in(const Parsed& needle, bool negated) {
    advance();
    TRY(expect(TokenKind::kLeftParen));
    if (at(TokenKind::kRightParen)) return unexpected();
    ParsedList elements = TRY(list(TokenKind::kRightParen));
    return made(ast::In{needle.expression, std::move(elements.expressions), negated},
                since(needle.expression->location),
                std::max(needle.height, elements.height),
                kNot);
}

Result<Parser::Parsed> Parser::between(const Parsed& operand, bool negated) {
    advance();
    Parsed low = TRY(expression(kComparison));
    TRY(expect(TokenKind::kAnd));
    Parsed high = TRY(expression(kComparison));
    return made(ast::Between{operand.expression, low.expression, high.expression, negated},
                since(operand.expression->location),
                std::max({operand.height, low.height, high.height}),
                kNot);
}

Result<Parser::Parsed> Parser::like(const Parsed& operand, bool negated) {
    advance();
    Parsed pattern = TRY(expression(kComparison));
    std::optional<std::string> escape;
    if (take(TokenKind::kEscape)) {
        const Token text = TRY(expect(TokenKind::kString));
        escape = string_value(text.text).value();
    }
    return made(ast::Like{operand.expression, pattern.expression, std::move(escape), negated},
                since(operand.expression->location),
                std::max(operand.height, pattern.height),
                kNot);
}

}  // namespace orrery::sql
