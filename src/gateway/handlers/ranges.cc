#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"

namespace orrery::gateway::handlers {

void list_ranges(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    // Any A-IM value requests the incremental protocol; SDKs spell it differently.
    const bool incremental = call->header(header::kAim).has_value();
    const auto answer =
        backend.resources.list_ranges(call->context, *found->container, incremental);
    if (!answer) return call->fail(answer.error());
    http::Response response =
        answer->not_modified
            ? call->make_response(304)
            : call->make_feed(found->container->rid.text(), "PartitionKeyRanges", answer->page);
    if (answer->not_modified) response.add_header(header::kItemCount, "0");
    response.add_header(header::kEtag, answer->etag);
    add_container_headers(response, *found);
    call->respond(std::move(response));
}

void read_range(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    respond_with(*call, 200, backend.resources.read_range(*found->container, call->path.ids[2]));
}

}  // namespace orrery::gateway::handlers
