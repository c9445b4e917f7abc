// Client encryption keys of a database.

#include "gateway/handlers/handlers.h"

namespace orrery::gateway::handlers {

namespace {

service::ClientKeys::Address key_address(const Call& call) {
    return {.database = call.path.ids[0], .key = call.path.ids[1]};
}

void respond_with_keys(const Backend& backend, Call& call, const service::QueryText* query) {
    const auto list = backend.client_keys.list(call.context, call.path.ids[0], query);
    if (!list) return call.fail(list.error());
    call.respond(call.make_feed(list->database_rid, "ClientEncryptionKeys", list->page));
}

}  // namespace

void list_client_keys(const Backend& backend, const CallPtr& call) {
    respond_with_keys(backend, *call, nullptr);
}

void post_client_key(const Backend& backend, const CallPtr& call) {
    if (is_query(*call)) {
        const service::QueryText query = query_text_of(*call);
        return respond_with_keys(backend, *call, &query);
    }
    respond_with(
        *call,
        201,
        backend.client_keys.create(call->context, call->path.ids[0], call->exchange().body()));
}

void read_client_key(const Backend& backend, const CallPtr& call) {
    respond_with(*call, 200, backend.client_keys.read(call->context, key_address(*call)));
}

void replace_client_key(const Backend& backend, const CallPtr& call) {
    respond_with(
        *call,
        200,
        backend.client_keys.replace(call->context, key_address(*call), call->exchange().body()));
}

}  // namespace orrery::gateway::handlers
