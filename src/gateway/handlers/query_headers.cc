#include "gateway/handlers/query_headers.h"

#include <fmt/format.h>

#include "gateway/headers.h"

namespace orrery::gateway::handlers {

namespace {

double milliseconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

// Names and order as the service sends them; the JS SDK refuses a segment that is not key=value.
std::string metrics_text(const service::QueryAnswer& answer) {
    const sql::Counters& counters = answer.counters;
    const double hits = counters.items_read == 0
                            ? 1.0
                            : std::min(1.0,
                                       static_cast<double>(counters.rows) /
                                           static_cast<double>(counters.items_read));
    return fmt::format(
        "totalExecutionTimeInMs={:.2f};queryCompileTimeInMs={:.2f};"
        "queryLogicalPlanBuildTimeInMs=0.00;queryPhysicalPlanBuildTimeInMs=0.00;"
        "queryOptimizationTimeInMs=0.00;VMExecutionTimeInMs={:.2f};indexLookupTimeInMs=0.00;"
        "instructionCount={};documentLoadTimeInMs=0.00;systemFunctionExecuteTimeInMs=0.00;"
        "userFunctionExecuteTimeInMs=0.00;retrievedDocumentCount={};retrievedDocumentSize={};"
        "outputDocumentCount={};outputDocumentSize={};writeOutputTimeInMs=0.00;"
        "indexUtilizationRatio={:.2f}",
        milliseconds(answer.times.compile + answer.times.run),
        milliseconds(answer.times.compile),
        milliseconds(answer.times.run),
        counters.index_entries_read + counters.items_read,
        counters.items_read,
        counters.item_bytes_read,
        counters.rows,
        counters.row_bytes,
        hits);
}

}  // namespace

void add_query_headers(http::Response& response,
                       const Call& call,
                       const service::QueryAnswer& answer) {
    if (call.flag(header::kPopulateQueryMetrics)) {
        response.add_header(header::kQueryMetrics, metrics_text(answer));
    }
    if (answer.sorted) {
        // Tells the SDKs in which direction ties are broken by rid.
        response.add_header(header::kQueryExecutionInfo,
                            answer.access.numbers_descend
                                ? R"({"reverseRidEnabled":false,"reverseIndexScan":true})"
                                : R"({"reverseRidEnabled":false,"reverseIndexScan":false})");
    }
    if (call.flag(header::kOptimisticDirectExecute)) {
        response.add_header(header::kRequiresDistribution, "False");
    }
}

}  // namespace orrery::gateway::handlers
