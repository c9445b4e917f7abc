// Traversals of a syntax tree beyond ast::for_each_child. Subqueries are entered only where noted.

#pragma once

#include <functional>

#include "sql/ast.h"

namespace orrery::sql {

using ExpressionVisitor = std::function<void(const ast::Expression&)>;
using QueryVisitor = std::function<void(const ast::Query&)>;

// The expression and everything below it, arguments before their call.
void for_each_below(const ast::Expression& expression, const ExpressionVisitor& visit);

// The selected expressions, WHERE, GROUP BY and ORDER BY.
void for_each_expression(const ast::Query& query, const ExpressionVisitor& visit);

// The queries directly inside this one, those in FROM first.
void for_each_subquery(const ast::Query& query, const QueryVisitor& visit);

// The query and all inside it, inner ones first.
void for_each_query(const ast::Query& query, const QueryVisitor& visit);

// Whether a UDF is called anywhere in it, subqueries included.
bool calls_udf(const ast::Query& query);

// Whether the test holds for the expression or any below it.
bool any_below(const ast::Expression& expression,
               const std::function<bool(const ast::Expression&)>& test);

}  // namespace orrery::sql
