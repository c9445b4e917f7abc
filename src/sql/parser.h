// Query text to syntax tree. What is accepted here may still be wrong in meaning: sql/checks.h.

#pragma once

#include <string_view>

#include "base/result.h"
#include "sql/ast.h"

namespace orrery::sql {

// kBadRequest with the JSON of sql/errors.h for anything that is no query, and for queries beyond
// the limits of text, joins, UDF calls and depth. No tree is deeper than limits::kQueryDepthMax, so
// that code may recurse over it.
Result<ast::QueryPtr> parse(std::string_view text);

}  // namespace orrery::sql
