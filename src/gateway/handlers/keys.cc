// The account's keys: what Azure's resource provider does for accounts of the service.

#include "gateway/handlers/handlers.h"
#include "service/errors.h"
#include "service/resource_answer.h"

namespace orrery::gateway::handlers {

namespace {

using auth::KeySlot;

// The resource provider's names.
constexpr std::string_view member_of(KeySlot slot) {
    switch (slot) {
        case KeySlot::kSecondary:
            return "secondaryMasterKey";
        case KeySlot::kPrimaryReadOnly:
            return "primaryReadonlyMasterKey";
        case KeySlot::kSecondaryReadOnly:
            return "secondaryReadonlyMasterKey";
        case KeySlot::kPrimary:
            break;
    }
    return "primaryMasterKey";
}

// Those that exist.
void respond_with_keys(const Backend& backend, Call& call, bool read_only_ones_alone) {
    json::Value body(json::Value::Object{});
    for (const KeySlot slot : auth::kKeySlots) {
        if (read_only_ones_alone && !auth::is_read_only(slot)) continue;
        const std::string key = backend.keys.text(slot);
        if (!key.empty()) body.set(member_of(slot), key);
    }
    http::Response response = call.make_response(200);
    response.body = body.text();
    call.respond(std::move(response));
}

Result<KeySlot> slot_in(std::string_view text) {
    const json::Value body = TRY(service::parse_object(text));
    const json::Value* kind = body.find("keyKind");
    const auto slot =
        kind != nullptr && kind->is_string() ? auth::parse_key_slot(kind->string()) : std::nullopt;
    if (!slot) {
        return service::bad_request(
            "'keyKind' must be primary, secondary, primaryReadonly or secondaryReadonly.");
    }
    return *slot;
}

}  // namespace

void list_keys(const Backend& backend, const CallPtr& call) {
    respond_with_keys(backend, *call, call->path.type == ResourceType::kReadOnlyKeys);
}

void regenerate_key(const Backend& backend, const CallPtr& call) {
    const auto slot = slot_in(call->exchange().body());
    if (!slot) return call->fail(slot.error());
    const Status done = backend.regenerate_key(*slot);
    if (!done) return call->fail(done.error());
    respond_with_keys(backend, *call, false);
}

}  // namespace orrery::gateway::handlers
