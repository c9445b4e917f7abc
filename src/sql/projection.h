// What a SELECT clause produces: the names of its columns, and whether it aggregates rows.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sql/aggregates.h"
#include "sql/ast.h"

namespace orrery::sql {

// One name per item of a select list: the alias, the last property of the path, the name of the
// source, or else $1, $2 … counted over the unnamed items.
std::vector<std::string> output_names(const ast::Select& select);

// The aggregate that the expression itself calls; nothing for expressions around or inside it.
std::optional<AggregateKind> called_aggregate(const ast::Expression& expression);

// Whether an aggregate of this query itself (not of a subquery) occurs in the expression, in SELECT
// or ORDER BY, or in SELECT.
bool has_aggregate(const ast::Expression& expression);
bool has_aggregate(const ast::Query& query);
bool selects_aggregate(const ast::Query& query);

}  // namespace orrery::sql
