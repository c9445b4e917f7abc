// Parses query text into a syntax tree. What it accepts may still fail the checks of sql/checks.h.

#pragma once

#include <string_view>

#include "base/result.h"
#include "sql/ast.h"

namespace orrery::sql {

// kBadRequest with the JSON of sql/errors.h for text that is not a query, and for queries beyond
// the limits of text, joins, UDF calls and depth. No tree is deeper than limits::kQueryDepthMax, so
// code may recurse over it.
Result<ast::QueryPtr> parse(std::string_view text);

}  // namespace orrery::sql
