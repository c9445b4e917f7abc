#include "gateway/handlers/query_headers.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/percent.h"
#include "gateway/headers.h"
#include "json/value.h"

namespace orrery::gateway::handlers {

namespace {

double milliseconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

// Names and order match the service; the JS SDK rejects segments that are not key=value. Fields
// fixed at 0 are steps that are not measured separately here.
std::string metrics_text(const service::Metrics& metrics) {
    const sql::Counters& counters = metrics.counters;
    const double hits = counters.items_read == 0
                            ? 1.0
                            : std::min(1.0,
                                       static_cast<double>(counters.rows) /
                                           static_cast<double>(counters.items_read));
    return fmt::format(
        "totalExecutionTimeInMs={:.2f};queryCompileTimeInMs={:.2f};"
        "queryLogicalPlanBuildTimeInMs={:.2f};queryPhysicalPlanBuildTimeInMs={:.2f};"
        "queryOptimizationTimeInMs=0.00;VMExecutionTimeInMs={:.2f};indexLookupTimeInMs={:.2f};"
        "instructionCount={};documentLoadTimeInMs={:.2f};systemFunctionExecuteTimeInMs=0.00;"
        "userFunctionExecuteTimeInMs=0.00;retrievedDocumentCount={};retrievedDocumentSize={};"
        "outputDocumentCount={};outputDocumentSize={};writeOutputTimeInMs={:.2f};"
        "indexUtilizationRatio={:.2f}",
        milliseconds(metrics.compile + metrics.run),
        milliseconds(metrics.compile),
        milliseconds(metrics.bind),
        milliseconds(counters.planning),
        milliseconds(metrics.run - metrics.bind - counters.planning),
        milliseconds(counters.finding - std::min(counters.loading, counters.finding)),
        counters.index_entries_read + counters.items_read,
        milliseconds(counters.loading),
        counters.items_read,
        counters.item_bytes_read,
        counters.rows,
        counters.row_bytes,
        milliseconds(counters.writing),
        hits);
}

json::Value single_v1(const std::string& path) {
    json::Value out{json::Value::Object()};
    out.set("FilterExpression", "");
    out.set("IndexSpec", path);
    out.set("FilterPreciseSet", true);
    out.set("IndexPreciseSet", true);
    out.set("IndexImpactScore", "High");
    return out;
}

json::Value composite_specs(const std::vector<std::string>& parts) {
    json::Value::Array specs;
    for (const std::string& part : parts) {
        specs.emplace_back(part);
    }
    return specs;
}

// Adds the lists of single and composite indexes in the V1 format.
void set_v1(json::Value& out, const std::string& which, const sql::Access::Indexes& indexes) {
    json::Value::Array singles;
    for (const std::string& path : indexes.paths) {
        singles.push_back(single_v1(path));
    }
    json::Value::Array composites;
    for (const std::vector<std::string>& parts : indexes.composites) {
        json::Value composite{json::Value::Object()};
        composite.set("IndexSpecs", composite_specs(parts));
        composite.set("IndexPreciseSet", true);
        composite.set("IndexImpactScore", "High");
        composites.push_back(std::move(composite));
    }
    out.set(which + "SingleIndexes", std::move(singles));
    out.set(which + "CompositeIndexes", std::move(composites));
}

json::Value lists_v2(const sql::Access::Indexes& indexes, bool potential) {
    const auto entry = [&](const char* name, json::Value value) {
        json::Value out{json::Value::Object()};
        out.set(name, std::move(value));
        if (potential) out.set("IndexImpactScore", "High");
        return out;
    };
    json::Value::Array singles;
    for (const std::string& path : indexes.paths) {
        singles.push_back(entry("IndexSpec", path));
    }
    json::Value::Array composites;
    for (const std::vector<std::string>& parts : indexes.composites) {
        composites.push_back(entry("IndexSpecs", composite_specs(parts)));
    }
    json::Value out{json::Value::Object()};
    out.set("SingleIndexes", std::move(singles));
    out.set("CompositeIndexes", std::move(composites));
    return out;
}

// V1 is base64, V2 is percent-encoded.
std::string index_metrics(const sql::Access& access, bool v2) {
    json::Value out{json::Value::Object()};
    if (v2) {
        out.set("Utilized", lists_v2(access.used, false));
        out.set("Potential", lists_v2(access.potential, true));
        return percent_encode(out.text());
    }
    set_v1(out, "Utilized", access.used);
    set_v1(out, "Potential", access.potential);
    return base64_encode(out.text());
}

}  // namespace

void add_query_headers(http::Response& response,
                       const Call& call,
                       const service::QueryAnswer& answer) {
    if (call.flag(header::kPopulateQueryMetrics)) {
        response.add_header(header::kQueryMetrics, metrics_text(call.context.receipt.metrics));
    }
    const bool metrics_v2 = call.flag(header::kPopulateIndexMetricsV2);
    if (metrics_v2 || call.flag(header::kPopulateIndexMetrics)) {
        response.add_header(header::kIndexUtilization, index_metrics(answer.access, metrics_v2));
    }
    if (answer.sorted) {
        // Tells SDKs the direction in which ties are ordered by rid.
        response.add_header(header::kQueryExecutionInfo,
                            answer.access.number_order == sql::NumberOrder::kAscending
                                ? R"({"reverseRidEnabled":false,"reverseIndexScan":false})"
                                : R"({"reverseRidEnabled":false,"reverseIndexScan":true})");
    }
    if (call.flag(header::kOptimisticDirectExecute)) {
        response.add_header(header::kRequiresDistribution, "False");
    }
}

}  // namespace orrery::gateway::handlers
