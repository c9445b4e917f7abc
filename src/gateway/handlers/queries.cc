#include <utility>

#include "gateway/handlers/handlers.h"
#include "gateway/handlers/query_headers.h"
#include "gateway/headers.h"
#include "gateway/router.h"
#include "gateway/slow_queries.h"

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

// Answers with the error, unless the query is to run again.
void fail(const Backend& backend, const CallPtr& call, const Error& error) {
    if (!run_again(backend, call, error)) call->fail(error);
}

void answer_plan(const Backend& backend,
                 const CallPtr& call,
                 const service::FoundContainer& found) {
    auto plan = backend.queries.plan(
        call->context, options_of(*call), *found.container, query_text_of(*call));
    if (!plan) return fail(backend, call, plan.error());
    http::Response response = call->make_response(200);
    add_container_headers(response, found);
    response.body = std::move(plan).take();
    call->respond(std::move(response));
}

void answer(const Backend& backend,
            const CallPtr& call,
            const service::FoundContainer& found,
            Result<service::QueryAnswer> result) {
    if (!result && run_again(backend, call, result.error())) return;
    log_if_slow(backend, *call, found, result);
    if (!result) return call->fail(result.error());
    http::Response response =
        call->make_feed(found.container->rid.text(), "Documents", std::move(result->page));
    add_container_headers(response, found);
    add_query_headers(response, *call, *result);
    call->respond(std::move(response));
}

Result<service::QueryAnswer> run(const Backend& backend,
                                 Call& call,
                                 const service::FoundContainer& found,
                                 sql::UdfCaller* udfs) {
    return backend.queries.run(
        call.context, options_of(call), *found.container, query_text_of(call), udfs);
}

}  // namespace

void query_items(const Backend& backend,
                 const CallPtr& call,
                 const service::FoundContainer& found) {
    if (call->flag(header::kIsQueryPlan)) return answer_plan(backend, call, found);
    if (!service::calls_udfs(query_text_of(*call))) {
        return answer(backend, call, found, run(backend, *call, found, nullptr));
    }
    if (!call->context.allowance.may_block) {
        return fail(backend, call, Error(ErrorCode::kWouldBlock, "the query calls UDFs"));
    }
    call->context.allowance.pacer = nullptr;  // from here on it runs on a script thread
    const auto result = std::make_shared<std::optional<Result<service::QueryAnswer>>>();
    const Status posted = backend.script_executor.with_udfs(
        found.container,
        [&backend, call, found, result](sql::UdfCaller& udfs) {
            *result = run(backend, *call, found, &udfs);
        },
        [&backend, call, found, result] { answer(backend, call, found, std::move(**result)); });
    if (!posted) call->fail(posted.error());
}

}  // namespace orrery::gateway::handlers
