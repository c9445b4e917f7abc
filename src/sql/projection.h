// What a SELECT clause gives: the names of its columns, and whether it gathers rows into groups.

#pragma once

#include <string>
#include <vector>

#include "sql/ast.h"

namespace orrery::sql {

// One name per item of a select list: the alias, the last property of the path, the alias the
// expression is, else $1, $2 … counted over those without a name.
std::vector<std::string> output_names(const ast::Select& select);

// Whether an aggregate of this query itself (not of a subquery) stands in the expression, or in its
// SELECT or ORDER BY.
bool has_aggregate(const ast::Expression& expression);
bool has_aggregate(const ast::Query& query);

}  // namespace orrery::sql
