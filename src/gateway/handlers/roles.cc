// Data-plane role definitions and assignments. In the service these are resources of Azure's
// resource provider; here the account key manages them.

#include "gateway/handlers/handlers.h"

namespace orrery::gateway::handlers {

namespace {

using service::Roles;

bool is_definition(const Call& call) { return call.path.type == ResourceType::kRoleDefinition; }

void respond_with_json(Call& call, unsigned status, const json::Value& body) {
    http::Response response = call.make_response(status);
    response.body = body.text();
    call.respond(std::move(response));
}

}  // namespace

void list_roles(const Backend& backend, const CallPtr& call) {
    respond_with_json(
        *call,
        200,
        is_definition(*call) ? backend.roles.list_definitions() : backend.roles.list_assignments());
}

void read_role(const Backend& backend, const CallPtr& call) {
    const std::string& id = call->path.ids[0];
    const auto role = is_definition(*call) ? backend.roles.read_definition(id)
                                           : backend.roles.read_assignment(id);
    if (!role) return call->fail(role.error());
    respond_with_json(*call, 200, *role);
}

void put_role(const Backend& backend, const CallPtr& call) {
    const std::string& id = call->path.ids[0];
    const std::string& body = call->exchange().body();
    const auto put = is_definition(*call) ? backend.roles.put_definition(call->context, id, body)
                                          : backend.roles.put_assignment(call->context, id, body);
    if (!put) return call->fail(put.error());
    respond_with_json(*call, put->created ? 201 : 200, put->body);
}

void delete_role(const Backend& backend, const CallPtr& call) {
    const std::string& id = call->path.ids[0];
    const Status removed = is_definition(*call)
                               ? backend.roles.remove_definition(call->context, id)
                               : backend.roles.remove_assignment(call->context, id);
    if (!removed) return call->fail(removed.error());
    call->respond(call->make_response(204));
}

}  // namespace orrery::gateway::handlers
