// EXPLAIN SELECT …: the physical plan of a query and the work it took, as one row.

#pragma once

#include <string>

#include "service/query_page.h"
#include "sql/ast.h"

namespace orrery::service {

std::string explanation(const sql::ast::Query& query,
                        const QueryAnswer& answer,
                        const Metrics& metrics);

}  // namespace orrery::service
