// What must hold of a query beyond its grammar and needs no data to decide: names, functions,
// grouping, where clauses may stand. Everything behind this may rely on it.

#pragma once

#include <string_view>

#include "base/result.h"
#include "sql/ast.h"
#include "sql/functions/function.h"

namespace orrery::sql {

struct CheckOptions {
    const Function* (*find_function)(std::string_view name) = nullptr;
    // Lets pass what parses but cannot be run yet: spatial, vector and full-text search.
    bool allow_unsupported = false;
};

// kBadRequest with all errors of the first kind that is found.
Status check_query(const ast::Query& query, const CheckOptions& options);

}  // namespace orrery::sql
