#include "sql/gateway_rules.h"

#include "sql/errors.h"
#include "sql/projection.h"

namespace orrery::sql {

namespace {

// SELECT VALUE COUNT(…) can be merged from the counts of partitions; the oldest clients support
// only that form.
Status check_distributable(const ast::Query& query) {
    for (const ast::SelectItem& item : query.select.items) {
        if (!called_aggregate(*item.expression) && has_aggregate(*item.expression)) {
            return plain_query_error(
                "Compositions of aggregates and other expressions are not allowed.");
        }
    }
    if (query.select.kind != ast::SelectKind::kValue && selects_aggregate(query)) {
        return plain_query_error(
            "Cross partition query only supports 'VALUE <AggregateFunc>' for aggregates.");
    }
    return {};
}

}  // namespace

Result<GatewayAnswer> decide_gateway_answer(const ast::Query& query,
                                            const PartitionKeyFilter& filter,
                                            const model::PartitionKeyDefinition& partition_key,
                                            const GatewayRequest& request) {
    const bool aggregates = selects_aggregate(query);
    const bool grouped = query.select.distinct || !query.group_by.empty();
    const auto ranges = query_ranges(filter, partition_key);
    if (ranges.size() == 1 && ranges.front().is_point()) {
        const bool whole = !grouped && (!aggregates || request.continuation_expected);
        return whole ? GatewayAnswer::kServe : GatewayAnswer::kNeedsPlan;
    }
    if (!request.cross_partition_enabled) return GatewayAnswer::kCrossPartitionDisabled;
    const bool must_merge = query.select.top || !query.order_by.empty() || aggregates || grouped ||
                            query.offset_limit.has_value();
    if (must_merge) TRY(check_distributable(query));
    return must_merge || request.parallelize ? GatewayAnswer::kNeedsPlan : GatewayAnswer::kServe;
}

}  // namespace orrery::sql
