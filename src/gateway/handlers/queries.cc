#include "gateway/handlers/handlers.h"
#include "gateway/handlers/query_headers.h"
#include "gateway/headers.h"

namespace orrery::gateway::handlers {

namespace {

service::QueryOptions options_of(const Call& call) {
    const auto expected = call.header(header::kContinuationExpected);
    return {.cross_partition = call.flag(header::kCrossPartition),
            .parallelize = call.flag(header::kParallelize),
            .continuation_expected = !expected || call.flag(header::kContinuationExpected),
            .merge = call.flag(header::kServerMerge),
            .query_metrics = call.flag(header::kPopulateQueryMetrics),
            .index_metrics = call.flag(header::kPopulateIndexMetrics) ||
                             call.flag(header::kPopulateIndexMetricsV2),
            .supported_features = call.header(header::kSupportedQueryFeatures).value_or("")};
}

void answer_plan(const Backend& backend, Call& call, const service::FoundContainer& found) {
    auto plan =
        backend.queries.plan(call.request, options_of(call), *found.container, query_text_of(call));
    if (!plan) return call.fail(plan.error());
    http::Response response = call.make_response(200, kReadCharge);
    add_container_headers(response, found);
    response.body = std::move(plan).take();
    call.respond(std::move(response));
}

http::Response answer(const Backend& backend,
                      Call& call,
                      const service::FoundContainer& found,
                      sql::UdfCaller* udfs) {
    const auto result = backend.queries.run(
        call.request, options_of(call), *found.container, query_text_of(call), udfs);
    if (!result) return call.make_error(result.error());
    http::Response response =
        call.make_feed(found.container->rid.text(), "Documents", result->page);
    add_container_headers(response, found);
    if (result->position) {
        add_position_headers(response, *result->position, call.request.api_version);
    }
    add_query_headers(response, call, *result);
    return response;
}

}  // namespace

void query_items(const Backend& backend,
                 const CallPtr& call,
                 const service::FoundContainer& found) {
    if (call->flag(header::kIsQueryPlan)) return answer_plan(backend, *call, found);
    if (!service::calls_udfs(query_text_of(*call))) {
        return backend.workers.post(
            [&backend, call, found] { call->respond(answer(backend, *call, found, nullptr)); });
    }
    const auto response = std::make_shared<http::Response>();
    const Status posted = backend.script_executor.with_udfs(
        found.container,
        [&backend, call, found, response](sql::UdfCaller& udfs) {
            *response = answer(backend, *call, found, &udfs);
        },
        [call, response] { call->respond(std::move(*response)); });
    if (!posted) call->fail(posted.error());
}

}  // namespace orrery::gateway::handlers
