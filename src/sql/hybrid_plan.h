// Plans for ranking: ORDER BY RANK, with one query per score, and ORDER BY VectorDistance.

#pragma once

#include "base/result.h"
#include "sql/query_plan.h"

namespace orrery::sql {

Result<HybridSearchInfo> make_hybrid_plan(const ast::Query& query, const PlanContext& context);

// Amends the plan of an ORDER BY query that orders by a vector distance: the nearest come first,
// and no index yields that order page by page.
void plan_vector_order(const ast::Query& query, QueryInfo& info, QueryFeatures& needed);

}  // namespace orrery::sql
