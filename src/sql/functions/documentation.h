// The page docs/sql-functions.md, generated from the function table.

#pragma once

#include <string>

namespace orrery::sql {

std::string function_documentation();

}  // namespace orrery::sql
