#include "base/bytes.h"
#include "json/number.h"
#include "json/text.h"
#include "sql/query_plan.h"

namespace orrery::sql {

namespace {

class Writer {
public:
    std::string take() { return std::move(out_); }

    void plan(const QueryPlan& plan) {
        out_ += "{\"partitionedQueryExecutionInfoVersion\":2";
        if (plan.info) {
            out_ += ",\"queryInfo\":";
            info(*plan.info);
        }
        out_ += ",\"queryRanges\":";
        list(plan.ranges, [&](const QueryRange& range) { this->range(range); });
        out_ += ",\"hybridSearchQueryInfo\":";
        if (plan.hybrid_search) {
            hybrid(*plan.hybrid_search);
        } else {
            out_ += "null";
        }
        out_ += '}';
    }

private:
    template <typename T, typename Write>
    void list(const std::vector<T>& elements, Write write) {
        out_ += '[';
        bool first = true;
        for (const auto& element : elements) {
            if (!std::exchange(first, false)) out_ += ',';
            write(element);
        }
        out_ += ']';
    }

    void strings(const std::vector<std::string>& texts) {
        list(texts, [&](const std::string& text) { json::append_quoted(out_, text); });
    }

    void count(const std::optional<std::uint64_t>& count) {
        out_ += count ? std::to_string(*count) : "null";
    }

    void aggregate(AggregateKind kind) { json::append_quoted(out_, plan_name(kind)); }

    void info(const QueryInfo& info) {
        out_ += "{\"distinctType\":";
        distinct(info.distinct);
        out_ += ",\"top\":";
        count(info.top);
        out_ += ",\"offset\":";
        count(info.offset);
        out_ += ",\"limit\":";
        count(info.limit);
        out_ += ",\"orderBy\":";
        list(info.order_by_descending,
             [&](bool descending) { out_ += descending ? "\"Descending\"" : "\"Ascending\""; });
        out_ += ",\"orderByExpressions\":";
        strings(info.order_by_expressions);
        out_ += ",\"groupByExpressions\":";
        strings(info.group_by_expressions);
        out_ += ",\"groupByAliases\":";
        strings(info.group_by_aliases);
        out_ += ",\"aggregates\":";
        list(info.aggregates, [&](AggregateKind kind) { aggregate(kind); });
        out_ += ",\"groupByAliasToAggregateType\":";
        alias_aggregates(info);
        out_ += ",\"rewrittenQuery\":";
        json::append_quoted(out_, info.rewritten_query);
        out_ += info.has_select_value ? ",\"hasSelectValue\":true" : ",\"hasSelectValue\":false";
        out_ += ",\"dCountInfo\":";
        dcount(info.dcount_alias);
        out_ += ",\"hasNonStreamingOrderBy\":";
        out_ += info.has_non_streaming_order_by ? "true}" : "false}";
    }

    void distinct(DistinctKind kind) {
        switch (kind) {
            case DistinctKind::kNone:
                out_ += "\"None\"";
                return;
            case DistinctKind::kOrdered:
                out_ += "\"Ordered\"";
                return;
            case DistinctKind::kUnordered:
                out_ += "\"Unordered\"";
                return;
        }
    }

    void alias_aggregates(const QueryInfo& info) {
        out_ += '{';
        bool first = true;
        for (const auto& [alias, kind] : info.alias_aggregates) {
            if (!std::exchange(first, false)) out_ += ',';
            json::append_quoted(out_, alias);
            out_ += ':';
            if (kind) {
                aggregate(*kind);
            } else {
                out_ += "null";
            }
        }
        out_ += '}';
    }

    void dcount(const std::optional<std::string>& alias) {
        if (!alias) {
            out_ += "null";
            return;
        }
        out_ += "{\"dCountAlias\":";
        json::append_quoted(out_, *alias);
        out_ += '}';
    }

    void range(const QueryRange& range) {
        out_ += "{\"min\":\"" + to_hex_upper(range.min_inclusive) + "\",\"max\":\"" +
                to_hex_upper(range.max) + "\",\"isMinInclusive\":true,\"isMaxInclusive\":";
        out_ += range.max_inclusive ? "true}" : "false}";
    }

    void hybrid(const HybridSearchInfo& hybrid) {
        out_ += "{\"globalStatisticsQuery\":";
        json::append_quoted(out_, hybrid.global_statistics_query);
        out_ += ",\"componentQueryInfos\":";
        list(hybrid.components, [&](const QueryInfo& component) { info(component); });
        out_ += ",\"componentWithoutPayloadQueryInfos\":[],\"projectionQueryInfo\":null";
        out_ += ",\"componentWeights\":";
        list(hybrid.weights,
             [&](double weight) { json::append_number(out_, json::Number(weight).normalized()); });
        out_ += ",\"skip\":";
        count(hybrid.skip);
        out_ += ",\"take\":";
        count(hybrid.take);
        out_ += ",\"requiresGlobalStatistics\":";
        out_ += hybrid.requires_global_statistics ? "true}" : "false}";
    }

    std::string out_;
};

}  // namespace

std::string to_json(const QueryPlan& plan) {
    Writer writer;
    writer.plan(plan);
    return writer.take();
}

}  // namespace orrery::sql
