// Users of a database, and their permissions.

#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"

namespace orrery::gateway::handlers {

namespace {

using service::Users;

service::UserAddress user_address(const Call& call) {
    return {.database = call.path.ids[0], .user = call.path.ids[1]};
}

service::PermissionAddress permission_address(const Call& call) {
    return {.owner = user_address(call), .permission = call.path.ids[2]};
}

void respond_with_list(Call& call, std::string_view name, const Result<Users::List>& list) {
    if (!list) return call.fail(list.error());
    call.respond(call.make_feed(list->owner_rid, name, list->page));
}

void respond_with_upserted(Call& call, const Result<Users::Upserted>& upserted) {
    if (!upserted) return call.fail(upserted.error());
    respond_with(call, upserted->created ? 201 : 200, upserted->answer);
}

void respond_with_removal(Call& call, const Status& removed) {
    if (!removed) return call.fail(removed.error());
    call.respond(call.make_response(204));
}

}  // namespace

void list_users(const Backend& backend, const CallPtr& call) {
    respond_with_list(
        *call, "Users", backend.users.list(call->context, call->path.ids[0], nullptr));
}

void post_user(const Backend& backend, const CallPtr& call) {
    const std::string& database = call->path.ids[0];
    if (is_query(*call)) {
        const service::QueryText query = query_text_of(*call);
        return respond_with_list(
            *call, "Users", backend.users.list(call->context, database, &query));
    }
    const std::string& body = call->exchange().body();
    if (call->flag(header::kIsUpsert)) {
        return respond_with_upserted(*call, backend.users.upsert(call->context, database, body));
    }
    respond_with(*call, 201, backend.users.create(call->context, database, body));
}

void read_user(const Backend& backend, const CallPtr& call) {
    respond_with(*call, 200, backend.users.read(call->context, user_address(*call)));
}

void replace_user(const Backend& backend, const CallPtr& call) {
    respond_with(
        *call,
        200,
        backend.users.replace(call->context, user_address(*call), call->exchange().body()));
}

void delete_user(const Backend& backend, const CallPtr& call) {
    respond_with_removal(*call, backend.users.remove(call->context, user_address(*call)));
}

void list_permissions(const Backend& backend, const CallPtr& call) {
    respond_with_list(*call,
                      "Permissions",
                      backend.users.list_permissions(call->context, user_address(*call), nullptr));
}

void post_permission(const Backend& backend, const CallPtr& call) {
    const service::UserAddress owner = user_address(*call);
    if (is_query(*call)) {
        const service::QueryText query = query_text_of(*call);
        return respond_with_list(
            *call, "Permissions", backend.users.list_permissions(call->context, owner, &query));
    }
    const std::string& body = call->exchange().body();
    if (call->flag(header::kIsUpsert)) {
        return respond_with_upserted(*call,
                                     backend.users.upsert_permission(call->context, owner, body));
    }
    respond_with(*call, 201, backend.users.create_permission(call->context, owner, body));
}

void read_permission(const Backend& backend, const CallPtr& call) {
    respond_with(
        *call, 200, backend.users.read_permission(call->context, permission_address(*call)));
}

void replace_permission(const Backend& backend, const CallPtr& call) {
    respond_with(*call,
                 200,
                 backend.users.replace_permission(
                     call->context, permission_address(*call), call->exchange().body()));
}

void delete_permission(const Backend& backend, const CallPtr& call) {
    respond_with_removal(*call,
                         backend.users.remove_permission(call->context, permission_address(*call)));
}

}  // namespace orrery::gateway::handlers
