// When two pieces of a query are the same: whatever their place in the text, the case of built-in
// function names, c.a or c["a"], 1 or 1.0.

#pragma once

#include "sql/ast.h"

namespace orrery::sql {

bool same_structure(const ast::Expression& a, const ast::Expression& b);
bool same_structure(const ast::Query& a, const ast::Query& b);

}  // namespace orrery::sql
