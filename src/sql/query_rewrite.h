// Building blocks of rewritten queries: what partitions must return so that a client can merge the
// results (reference: the SDKs' order-by, aggregate and group-by pipelines).

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sql/ast.h"

namespace orrery::sql::rewrite {

// The SDKs replace it with true or with a condition to resume from.
inline constexpr std::string_view kFilterPlaceholder =
    "({documentdb-formattableorderbyquery-filter})";

ast::ExpressionPtr call(std::string name, std::vector<ast::ExpressionPtr> arguments);
ast::ExpressionPtr object(
    const std::vector<std::pair<std::string, ast::ExpressionPtr>>& properties);
ast::ExpressionPtr array(std::vector<ast::ExpressionPtr> elements);
ast::SelectItem named(ast::ExpressionPtr expression, std::string alias);

// alias._rid of the query's first source.
ast::SelectItem rid_of(const ast::Query& query);

// [{"item": a}, {"item": b}]
ast::ExpressionPtr items(const std::vector<ast::ExpressionPtr>& keys);

// What a partition returns for an aggregate: {"item": SUM(x)}; for AVG {"item": {"sum": SUM(x),
// "count": COUNT(x)}}; for MIN {"item": MIN(x), "item2": {"min": MIN(x), "count": COUNT(x)}}.
ast::ExpressionPtr partial_aggregate(const ast::ExpressionPtr& call);

// The condition combined with the placeholder, and with IS_DEFINED(value) if there is a value.
ast::ExpressionPtr filtered(const ast::ExpressionPtr& where, const ast::ExpressionPtr& value);

// The output of SELECT as one value: the item for *, an object for a list, the value itself.
// Aggregates of a list become partial.
ast::ExpressionPtr payload(const ast::Query& query);

}  // namespace orrery::sql::rewrite
