// The cluster, for its operators. Not in the service's API.

#include "gateway/handlers/handlers.h"
#include "service/errors.h"

namespace orrery::gateway::handlers {

namespace {

Error no_cluster() {
    return Error(ErrorCode::kNotFound, "This server is not a node of a cluster.");
}

}  // namespace

void read_cluster(const Backend& backend, const CallPtr& call) {
    if (!backend.cluster) return call->fail(no_cluster());
    auto described = backend.cluster();
    if (!described) return call->fail(described.error());
    http::Response response = call->make_response(200);
    response.body = std::move(described).take();
    call->respond(std::move(response));
}

// POST begins it, DELETE lets the node have partitions again. read_cluster() says how far it is.
void drain_node(const Backend& backend, const CallPtr& call) {
    if (!backend.drain_node) return call->fail(no_cluster());
    const bool drained = call->exchange().method() == "POST";
    const Status begun = backend.drain_node(call->path.ids[0], drained);
    if (!begun) return call->fail(begun.error());
    call->respond(call->make_response(202));
}

}  // namespace orrery::gateway::handlers
