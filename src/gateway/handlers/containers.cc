#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"
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

// Sizes are in kilobytes and -1 means no limit, as in the service.
void add_quota_headers(http::Response& response,
                       const service::ContainerUsage& usage,
                       const catalog::ScriptSet& scripts) {
    constexpr std::uint64_t kKilobyte = 1024;
    const std::string size = std::to_string((usage.item_bytes + kKilobyte - 1) / kKilobyte);
    response.add_header(header::kResourceQuota,
                        script_numbers(model::count_max) +
                            "documentSize=-1;documentsSize=-1;documentsCount=-1;collectionSize=-1");
    response.add_header(
        header::kResourceUsage,
        script_numbers([&](model::ScriptKind kind) { return scripts.count(kind); }) +
            "documentSize=0;documentsSize=" + size +
            ";documentsCount=" + std::to_string(usage.item_count) + ";collectionSize=" + size);
}

}  // namespace

Result<service::FoundContainer> owner_of(const Backend& backend, const Call& call) {
    auto found = backend.resources.find(call.request, address_of(call));
    if (found || found.error().code() != ErrorCode::kNotFound) return found;
    return service::owner_not_found();
}

void list_containers(const Backend& backend, const CallPtr& call) {
    respond_with_feed(*call,
                      backend.resources.list_containers(call->request, call->path.ids[0], nullptr));
}

void post_container(const Backend& backend, const CallPtr& call) {
    const std::string& database = call->path.ids[0];
    if (!is_query(*call)) {
        return respond_with(
            *call,
            201,
            backend.resources.create_container(call->request, database, call->exchange().body()));
    }
    const auto query = query_of(*call);
    if (!query) return call->fail(query.error());
    respond_with_feed(*call, backend.resources.list_containers(call->request, database, &*query));
}

void read_container(const Backend& backend, const CallPtr& call) {
    const auto answer = backend.resources.read_container(call->request, address_of(*call));
    if (!answer || !answer->body) return respond_with(*call, 200, answer);
    http::Response response = call->make_response(200, kReadCharge);
    response.add_header(header::kEtag, answer->etag);
    response.add_header(header::kContentPath, answer->container->rid.text());
    const auto progress = backend.indexing.progress(*answer->container);
    if (!progress) return call->fail(progress.error());
    response.add_header(header::kIndexTransformationProgress, std::to_string(*progress));
    if (call->flag(header::kPopulateQuotaInfo)) {
        const auto usage = backend.items.usage(*answer->container);
        if (!usage) return call->fail(usage.error());
        add_quota_headers(response, *usage, answer->container->scripts);
    }
    response.body = answer->body->text();
    call->respond(std::move(response));
}

void replace_container(const Backend& backend, const CallPtr& call) {
    respond_with(*call,
                 200,
                 backend.resources.replace_container(
                     call->request, address_of(*call), call->exchange().body()));
}

void delete_container(const Backend& backend, const CallPtr& call) {
    const Status removed = backend.resources.remove_container(call->request, address_of(*call));
    if (!removed) return call->fail(removed.error());
    call->respond(call->make_response(204, kWriteCharge));
}

}  // namespace orrery::gateway::handlers
