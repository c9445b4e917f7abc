// How a client distributes a query over partitions: which ranges to query, with which text, and how
// to merge the results. The names and the text are the contract with the SDKs.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/container_definition.h"
#include "sql/aggregates.h"
#include "sql/ast.h"
#include "sql/partition_key_filter.h"
#include "sql/query_features.h"

namespace orrery::sql {

enum class DistinctKind : std::uint8_t { kNone, kOrdered, kUnordered };

struct QueryInfo {
    DistinctKind distinct = DistinctKind::kNone;
    std::optional<std::uint64_t> top;
    std::optional<std::uint64_t> offset;
    std::optional<std::uint64_t> limit;
    std::vector<bool> order_by_descending;
    std::vector<std::string> order_by_expressions;
    std::vector<std::string> group_by_expressions;
    std::vector<std::string> group_by_aliases;
    std::vector<AggregateKind> aggregates;  // of SELECT VALUE only
    // For a select list: the aggregate of each alias; nothing where there is none.
    std::vector<std::pair<std::string, std::optional<AggregateKind>>> alias_aggregates;
    std::string rewritten_query;  // empty: send the text as it is
    bool has_select_value = false;
    // Set when the client counts distinct rows: the name of the count, empty for SELECT VALUE.
    std::optional<std::string> dcount_alias;
    bool has_non_streaming_order_by = false;
};

// ORDER BY RANK: one query per score, and one for the statistics that scores need.
struct HybridSearchInfo {
    std::string global_statistics_query;
    std::vector<QueryInfo> components;
    std::vector<double> weights;  // empty: all equal
    std::optional<std::uint64_t> skip;
    std::optional<std::uint64_t> take;
    bool requires_global_statistics = false;
};

struct QueryPlan {
    std::optional<QueryInfo> info;  // not for a hybrid search
    std::optional<HybridSearchInfo> hybrid_search;
    PartitionKeyFilter filter;
    std::vector<QueryRange> ranges;
};

// What a plan depends on besides the query.
struct PlanContext {
    const model::PartitionKeyDefinition& partition_key;
    const Fold& fold;
    QueryFeatures features;  // declared by the client
};

// The query must have been checked (sql/checks.h). kBadRequest when the client cannot run it, when
// aggregates are nested in other expressions, and when TOP, OFFSET or LIMIT is not a count.
Result<QueryPlan> make_query_plan(const ast::Query& query, const PlanContext& context);

// The response body for a query plan request.
std::string to_json(const QueryPlan& plan);

}  // namespace orrery::sql
