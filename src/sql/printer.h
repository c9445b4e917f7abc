// Prints a syntax tree in the form in which the service sends rewritten queries: each clause on its
// own line, every operator in parentheses, strings in double quotes, AS before each alias. Parsing
// the text gives the same tree again.

#pragma once

#include <string>

#include "sql/ast.h"

namespace orrery::sql {

std::string print(const ast::Query& query);
std::string print(const ast::Expression& expression);

}  // namespace orrery::sql
