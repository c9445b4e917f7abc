// Conflicts between writes of several regions. There is one, so the list is always empty.

#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"
#include "service/errors.h"

namespace orrery::gateway::handlers {

namespace {

// As for items: a query without a partition key or range has to allow several partitions.
bool needs_cross_partition(const Call& call, const service::FoundContainer& found) {
    const service::Request& request = call.context.request;
    return !found.container->definition.partition_key.system_key && !request.partition_key &&
           !request.range_id && !call.flag(header::kCrossPartition);
}

void respond_with_conflicts(const Backend& backend, Call& call, const service::QueryText* query) {
    const auto found = owner_of(backend, call);
    if (!found) return call.fail(found.error());
    if (query != nullptr && needs_cross_partition(call, *found)) {
        return call.fail(service::cross_partition_disabled());
    }
    const auto page = backend.resources.list_conflicts(call.context, *found->container, query);
    if (!page) return call.fail(page.error());
    http::Response response = call.make_feed(found->container->rid.text(), "Conflicts", *page);
    add_container_headers(response, *found);
    call.respond(std::move(response));
}

}  // namespace

void list_conflicts(const Backend& backend, const CallPtr& call) {
    respond_with_conflicts(backend, *call, nullptr);
}

void query_conflicts(const Backend& backend, const CallPtr& call) {
    if (!is_query(*call)) {
        return call->fail(
            Error(ErrorCode::kMethodNotAllowed, "Conflicts cannot be created by clients."));
    }
    const service::QueryText query = query_text_of(*call);
    respond_with_conflicts(backend, *call, &query);
}

void find_conflict(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    call->fail(found ? service::not_found() : found.error().copy());
}

}  // namespace orrery::gateway::handlers
