// Decides whether a gateway answers a cross-partition query itself or tells the client to plan it.

#pragma once

#include <cstdint>

#include "base/result.h"
#include "sql/ast.h"
#include "sql/query_plan.h"

namespace orrery::sql {

// Headers of a query that names no partition key range.
struct GatewayRequest {
    bool cross_partition_enabled = false;
    bool parallelize = false;
    bool continuation_expected = true;
};

enum class GatewayAnswer : std::uint8_t {
    kServe,
    kNeedsPlan,               // 400/1004 with the plan
    kCrossPartitionDisabled,  // 400 with the plan
};

// Decides as the service does. kBadRequest for aggregates that no plan can distribute. The query
// must have been checked.
Result<GatewayAnswer> decide_gateway_answer(const ast::Query& query,
                                            const PartitionKeyFilter& filter,
                                            const model::PartitionKeyDefinition& partition_key,
                                            const GatewayRequest& request);

}  // namespace orrery::sql
