// Backups of the whole server, which it makes while it runs. Not in the service's API.

#include "gateway/handlers/handlers.h"

namespace orrery::gateway::handlers {

void list_backups(const Backend& backend, const CallPtr& call) {
    auto described = backend.backups();
    if (!described) return call->fail(described.error());
    http::Response response = call->make_response(200);
    response.body = std::move(described).take();
    call->respond(std::move(response));
}

// The backup goes on after the answer; list_backups() says what has become of it.
void begin_backup(const Backend& backend, const CallPtr& call) {
    const Status begun = backend.begin_backup(call->exchange().body());
    if (!begun) return call->fail(begun.error());
    call->respond(call->make_response(202));
}

}  // namespace orrery::gateway::handlers
