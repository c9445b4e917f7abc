// The parser's internals: recursive descent for clauses (parser_clauses.cc), precedence climbing
// for expressions (parser_expressions.cc). Use sql/parser.h.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sql/ast.h"
#include "sql/errors.h"
#include "sql/lexer.h"

namespace orrery::sql {

class Parser {
public:
    explicit Parser(std::string_view text) : lexer_(text), next_(lexer_.next()) { advance(); }

    // The whole text: one query and nothing after it.
    Result<ast::QueryPtr> statement();

    // The most joins in any one FROM clause.
    std::size_t joins() const { return joins_; }
    std::size_t udf_calls() const { return udf_calls_; }

private:
    // How tightly an operator binds. An expression has the level of its outermost operator, and
    // only operators of that level or a looser one can follow it.
    enum Level : int {
        kLoosest,
        kConditional,
        kCoalesce,  // right-associative
        kOr,
        kAnd,
        kNot,
        kPredicate,   // IN, BETWEEN, LIKE
        kComparison,  // and shifts
        kConcat,
        kSum,  // and bits
        kProduct,
        kUnary,
        kPostfix,
        kTightest,
    };

    struct Infix {
        Level level;
        ast::BinaryOperator op;
    };

    struct Parsed {
        ast::ExpressionPtr expression;
        std::size_t height = 1;  // levels of the tree
        Level level = kTightest;
        // The same expression while it is a chain of ANDs or ORs that may still grow.
        std::shared_ptr<ast::Expression> chain;
    };
    struct ParsedList {
        std::vector<ast::ExpressionPtr> expressions;
        std::size_t height = 0;
    };
    struct ParsedQuery {
        std::shared_ptr<ast::Query> query;
        std::size_t height = 0;
    };

    // Counts one level of recursion during its lifetime.
    class Descent {
    public:
        explicit Descent(Parser& parser) : parser_(parser) { ++parser_.depth_; }
        ~Descent() { --parser_.depth_; }
        Descent(const Descent&) = delete;
        Descent& operator=(const Descent&) = delete;

    private:
        Parser& parser_;
    };

    // Tokens.
    bool at(TokenKind kind) const { return token_.kind == kind; }
    bool next_at(TokenKind kind) const { return next_.kind == kind; }
    bool at_word(std::string_view word) const;
    Token advance();
    bool take(TokenKind kind);
    Result<Token> expect(TokenKind kind);
    Error unexpected() const;
    Error too_deep() const;
    Status within_depth() const;
    Location since(Location start) const { return {start.start, last_end_}; }

    // Clauses.
    Result<ParsedQuery> query();
    Result<std::size_t> select_clause(ast::Select& select);
    Result<std::size_t> select_list(ast::Select& select);
    Result<std::size_t> from_clause(ast::Query& query);
    Result<std::size_t> source(ast::Source& source);
    Result<std::size_t> collection(ast::Source& source);
    Result<ast::PathStep> path_step();
    Result<std::size_t> group_by_clause(ast::Query& query);
    Result<std::size_t> order_by_clause(ast::Query& query);
    Result<std::size_t> order_item(ast::Query& query);
    Result<Parsed> score();
    Status offset_limit_clause(ast::Query& query);
    Result<ast::Count> top_count();
    Result<ast::Count> offset_or_limit_count(CountClause clause);
    Result<std::optional<ast::Name>> optional_alias();
    Result<ast::Name> name();

    // Expressions.
    Result<Parsed> expression(Level minimum = kConditional);
    Result<Parsed> operators_after(Parsed left, Level minimum);
    Result<Parsed> operator_after(Parsed left, Level level);
    Result<Parsed> binary(const Parsed& left);
    Result<Parsed> prefix();
    Result<Parsed> unary(ast::UnaryOperator op);
    Result<Parsed> parenthesized();
    Result<Parsed> primary();
    Result<Parsed> word();
    Result<Parsed> call(bool udf);
    Result<Parsed> subquery(ast::SubqueryKind kind, Location start);
    Result<Parsed> array();
    Result<Parsed> object();
    Result<Parsed> member(const Parsed& base);
    Result<Parsed> subscript(const Parsed& base);
    Result<Parsed> conditional(const Parsed& condition);
    Result<Parsed> logical(Parsed left);
    Result<Parsed> predicate(const Parsed& operand);
    Result<Parsed> in(const Parsed& needle, bool negated);
    Result<Parsed> between(const Parsed& operand, bool negated);
    Result<Parsed> like(const Parsed& operand, bool negated);
    Result<ParsedList> list(TokenKind closing);
    std::optional<ast::SubqueryKind> subquery_ahead() const;
    std::optional<Level> level_here() const;
    static std::optional<Infix> binary_operator(TokenKind kind);

    template <typename Node>
    Result<Parsed> made(Node node, Location location, std::size_t below, Level level = kTightest);
    template <typename Node>
    Parsed literal(Node node);

    Lexer lexer_;
    Token token_;                 // the current one
    Token next_;                  // the one after it
    std::uint32_t last_end_ = 0;  // where the token before token_ ended
    std::size_t depth_ = 0;
    std::size_t joins_ = 0;
    std::size_t udf_calls_ = 0;
};

}  // namespace orrery::sql
