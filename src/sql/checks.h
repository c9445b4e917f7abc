// Rules a query must satisfy beyond its grammar that need no data to check: names, functions,
// grouping, where clauses are allowed. All later stages rely on them.

#pragma once

#include <string_view>

#include "base/result.h"
#include "sql/ast.h"
#include "sql/functions/function.h"

namespace orrery::sql {

struct CheckOptions {
    const Function* (*find_function)(std::string_view name) = nullptr;
    // Accepts what parses but cannot be run yet: spatial, vector and full-text search.
    bool allow_unsupported = false;
};

// kBadRequest with all errors of the first kind found.
Status check_query(const ast::Query& query, const CheckOptions& options);

}  // namespace orrery::sql
