// Plans for ranking: ORDER BY RANK, which is one query per score, and ORDER BY VectorDistance.

#pragma once

#include "base/result.h"
#include "sql/query_plan.h"

namespace orrery::sql {

Result<HybridSearchInfo> make_hybrid_plan(const ast::Query& query, const PlanContext& context);

// Amends the plan of an ORDER BY query when it orders by a distance: the nearest come first, and no
// index gives that order page by page.
void plan_vector_order(const ast::Query& query, QueryInfo& info, QueryFeatures& needed);

}  // namespace orrery::sql
