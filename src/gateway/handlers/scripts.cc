// Stored procedures, triggers and user-defined functions; the path says which.

#include "base/check.h"
#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"

namespace orrery::gateway::handlers {

namespace {

using model::ScriptKind;

ScriptKind kind_of(const Call& call) {
    switch (call.path.type) {
        case ResourceType::kTrigger:
            return ScriptKind::kTrigger;
        case ResourceType::kUdf:
            return ScriptKind::kUdf;
        default:
            CHECK(call.path.type == ResourceType::kStoredProcedure);
            return ScriptKind::kStoredProcedure;
    }
}

std::string_view feed_name(ScriptKind kind) {
    switch (kind) {
        case ScriptKind::kTrigger:
            return "Triggers";
        case ScriptKind::kUdf:
            return "UserDefinedFunctions";
        default:
            return "StoredProcedures";
    }
}

Result<service::FoundContainer> container_of(const Backend& backend, const Call& call) {
    auto found = TRY(owner_of(backend, call));
    TRY(service::check_intended_container(call.context.request, *found.container));
    return found;
}

service::ScriptAddress script_address(const Call& call, const service::FoundContainer& owner) {
    return {.owner = owner, .kind = kind_of(call), .segment = call.path.ids[2]};
}

void respond_with_feed(const Backend& backend,
                       Call& call,
                       const service::FoundContainer& owner,
                       const service::QueryText* query) {
    const ScriptKind kind = kind_of(call);
    const auto page = backend.scripts.list(call.context, owner, kind, query);
    if (!page) return call.fail(page.error());
    call.respond(call.make_feed(owner.container->rid.text(), feed_name(kind), *page));
}

void upsert_script(const Backend& backend, Call& call, const service::FoundContainer& owner) {
    const auto upserted =
        backend.scripts.upsert(call.context, owner, kind_of(call), call.exchange().body());
    if (!upserted) return call.fail(upserted.error());
    respond_with(call, upserted->created ? 201 : 200, upserted->answer);
}

}  // namespace

void list_scripts(const Backend& backend, const CallPtr& call) {
    const auto owner = container_of(backend, *call);
    if (!owner) return call->fail(owner.error());
    respond_with_feed(backend, *call, *owner, nullptr);
}

void post_script(const Backend& backend, const CallPtr& call) {
    const auto owner = container_of(backend, *call);
    if (!owner) return call->fail(owner.error());
    if (is_query(*call)) {
        const service::QueryText query = query_text_of(*call);
        return respond_with_feed(backend, *call, *owner, &query);
    }
    if (call->flag(header::kIsUpsert)) return upsert_script(backend, *call, *owner);
    respond_with(
        *call,
        201,
        backend.scripts.create(call->context, *owner, kind_of(*call), call->exchange().body()));
}

void read_script(const Backend& backend, const CallPtr& call) {
    const auto owner = container_of(backend, *call);
    if (!owner) return call->fail(owner.error());
    respond_with(*call, 200, backend.scripts.read(call->context, script_address(*call, *owner)));
}

void replace_script(const Backend& backend, const CallPtr& call) {
    const auto owner = container_of(backend, *call);
    if (!owner) return call->fail(owner.error());
    respond_with(*call,
                 200,
                 backend.scripts.replace(
                     call->context, script_address(*call, *owner), call->exchange().body()));
}

void delete_script(const Backend& backend, const CallPtr& call) {
    const auto owner = container_of(backend, *call);
    if (!owner) return call->fail(owner.error());
    const Status removed = backend.scripts.remove(call->context, script_address(*call, *owner));
    if (!removed) return call->fail(removed.error());
    call->respond(call->make_response(204));
}

}  // namespace orrery::gateway::handlers
