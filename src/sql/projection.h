// What a SELECT clause gives: the names of its columns, and whether it gathers rows into groups.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sql/aggregates.h"
#include "sql/ast.h"

namespace orrery::sql {

// One name per item of a select list: the alias, the last property of the path, the alias the
// expression is, else $1, $2 … counted over those without a name.
std::vector<std::string> output_names(const ast::Select& select);

// The aggregate that the expression itself calls; nothing for what is around or inside such a call.
std::optional<AggregateKind> called_aggregate(const ast::Expression& expression);

// Whether an aggregate of this query itself (not of a subquery) stands in the expression, or in its
// SELECT or ORDER BY, or in its SELECT.
bool has_aggregate(const ast::Expression& expression);
bool has_aggregate(const ast::Query& query);
bool selects_aggregate(const ast::Query& query);

}  // namespace orrery::sql
