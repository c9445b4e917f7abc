#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"
#include "gateway/router.h"
#include "service/errors.h"

namespace orrery::gateway::handlers {

namespace {

service::ContainerAddress address_of(const Call& call) {
    return {.database = call.path.ids[0], .container = call.path.ids[1]};
}

void respond_with_feed(Call& call, const Result<service::Resources::ContainerList>& list) {
    if (!list) return call.fail(list.error());
    call.respond(call.make_feed(list->database_rid, "DocumentCollections", list->page));
}

// functions=2;storedProcedures=0;triggers=1; with the counts from `number_of`.
template <typename NumberOf>
std::string script_numbers(const NumberOf& number_of) {
    using model::ScriptKind;
    return "functions=" + std::to_string(number_of(ScriptKind::kUdf)) +
           ";storedProcedures=" + std::to_string(number_of(ScriptKind::kStoredProcedure)) +
           ";triggers=" + std::to_string(number_of(ScriptKind::kTrigger)) + ";";
}

std::uint64_t kilobytes(std::uint64_t bytes) {
    constexpr std::uint64_t kKilobyte = 1024;
    return (bytes + kKilobyte - 1) / kKilobyte;
}

// Sizes are in kilobytes and -1 means no limit, as in the service. The quotas are the service's
// numbers, because clients compare them; this server does not limit the size of a container.
void add_quota_headers(http::Response& response,
                       const service::ContainerUsage& usage,
                       const catalog::ScriptSet& scripts) {
    response.add_header(header::kResourceQuota,
                        script_numbers(model::count_max) +
                            "documentSize=10240;documentsSize=10485760;documentsCount=-1;"
                            "collectionSize=10485760");
    const std::string size = std::to_string(kilobytes(usage.item_bytes));
    response.add_header(
        header::kResourceUsage,
        script_numbers([&](model::ScriptKind kind) { return scripts.count(kind); }) +
            "documentSize=0;documentsSize=" + size +
            ";documentsCount=" + std::to_string(usage.item_count) + ";collectionSize=" + size);
}

// The service also samples the largest partition keys of large partitions and sends an empty list
// for small ones, as this server does for all.
json::Value statistics_of(const service::ContainerUsage& usage) {
    json::Value::Array statistics;
    for (const service::RangeReport& range : usage.ranges) {
        json::Value one(json::Value::Object{});
        one.set("id", std::to_string(range.range_id));
        one.set("sizeInKB", static_cast<std::int64_t>(kilobytes(range.item_bytes)));
        one.set("documentCount", static_cast<std::int64_t>(range.item_count));
        one.set("partitionKeys", json::Value::Array{});
        statistics.push_back(std::move(one));
    }
    return statistics;
}

// Adds what only a read returns: index progress and, on request, quota and statistics.
Status describe(const Backend& backend,
                const Call& call,
                const catalog::Container& container,
                http::Response& response,
                json::Value& body) {
    const std::string progress = std::to_string(TRY(backend.indexing.progress(container)));
    response.add_header(header::kIndexTransformationProgress, progress);
    if (body.find("indexingPolicy")->find("indexingMode")->string() == "lazy") {
        response.add_header(header::kLazyIndexingProgress, progress);
    }
    const bool wants_quota = call.flag(header::kPopulateQuotaInfo);
    const bool wants_statistics = call.flag(header::kPopulatePartitionStatistics);
    if (!wants_quota && !wants_statistics) return {};
    const service::ContainerUsage usage = TRY(backend.items.usage(container));
    if (wants_quota) add_quota_headers(response, usage, container.scripts);
    if (wants_statistics) body.set("statistics", statistics_of(usage));
    return {};
}

http::Response make_answer(const Backend& backend,
                           Call& call,
                           unsigned status,
                           const service::ContainerAnswer& answer) {
    // The token of one range, as in the service: Java and .NET cannot parse a list. A container
    // that was removed in the meantime has no position, but the request still succeeded.
    static_cast<void>(backend.items.locate(call.context, *answer.found.container));
    const service::ResourceAnswer& resource = answer.resource;
    http::Response response = call.make_response(resource.body ? status : 304);
    response.add_header(header::kEtag, resource.etag);
    add_database_headers(response, *answer.found.database);
    return response;
}

void respond_with_container(const Backend& backend,
                            Call& call,
                            unsigned status,
                            const Result<service::ContainerAnswer>& answer) {
    if (!answer) return call.fail(answer.error());
    http::Response response = make_answer(backend, call, status, *answer);
    if (answer->resource.body) response.body = answer->resource.body->text();
    call.respond(std::move(response));
}

}  // namespace

Result<service::FoundContainer> owner_of(const Backend& backend, const Call& call) {
    auto found = backend.resources.find(call.context.request, address_of(call));
    if (found || found.error().code() != ErrorCode::kNotFound) return found;
    return service::owner_not_found();
}

void list_containers(const Backend& backend, const CallPtr& call) {
    respond_with_feed(*call,
                      backend.resources.list_containers(call->context, call->path.ids[0], nullptr));
}

void post_container(const Backend& backend, const CallPtr& call) {
    const std::string& database = call->path.ids[0];
    if (!is_query(*call)) {
        return respond_with_container(
            backend,
            *call,
            201,
            backend.resources.create_container(call->context, database, call->exchange().body()));
    }
    const service::QueryText query = query_text_of(*call);
    respond_with_feed(*call, backend.resources.list_containers(call->context, database, &query));
}

void read_container(const Backend& backend, const CallPtr& call) {
    auto answer = backend.resources.read_container(call->context, address_of(*call));
    if (!answer) return call->fail(answer.error());
    http::Response response = make_answer(backend, *call, 200, *answer);
    if (std::optional<json::Value>& body = answer->resource.body) {
        const Status described =
            describe(backend, *call, *answer->found.container, response, *body);
        if (!described && run_again(backend, call, described.error())) return;
        if (!described) return call->fail(described.error());
        response.body = body->text();
    }
    call->respond(std::move(response));
}

void replace_container(const Backend& backend, const CallPtr& call) {
    respond_with_container(backend,
                           *call,
                           200,
                           backend.resources.replace_container(
                               call->context, address_of(*call), call->exchange().body()));
}

void delete_container(const Backend& backend, const CallPtr& call) {
    const Status removed = backend.resources.remove_container(call->context, address_of(*call));
    if (!removed) return call->fail(removed.error());
    call->respond(call->make_response(204));
}

}  // namespace orrery::gateway::handlers
