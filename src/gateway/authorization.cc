#include "gateway/authorization.h"

#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"

namespace orrery::gateway {

namespace {

bool is_in_container(ResourceType type) {
    switch (type) {
        case ResourceType::kContainer:
        case ResourceType::kItem:
        case ResourceType::kStoredProcedure:
        case ResourceType::kTrigger:
        case ResourceType::kUdf:
        case ResourceType::kConflict:
        case ResourceType::kRange:
        case ResourceType::kAttachment:
        case ResourceType::kMedia:
        case ResourceType::kOperation:
        case ResourceType::kSplit:
        case ResourceType::kMerge:
            return true;
        default:
            return false;
    }
}

}  // namespace

Status authorize(const Backend& backend, const Call& call) {
    // What is not supported is refused by the router.
    if (call.context.principal.kind == auth::Principal::Kind::kAccountKey || !call.action) {
        return {};
    }
    const ResourcePath& path = call.path;
    const auto id = [&](std::size_t level) {
        return path.ids.size() > level ? std::string_view(path.ids[level]) : std::string_view();
    };
    service::AccessedResource resource;
    resource.method = call.exchange().method();
    resource.target = call.exchange().target();
    if (path.type != ResourceType::kOffer) resource.database = id(0);
    if (is_in_container(path.type)) {
        resource.container = id(1);
        // Attachments are a part of their item.
        const bool attached =
            path.type == ResourceType::kAttachment || path.type == ResourceType::kMedia;
        resource.child_type = attached ? "docs" : std::string_view(path.type_name);
        resource.child = id(2);
        resource.names_triggers = handlers::names_triggers(call);
        resource.is_plan = call.is_query && call.flag(header::kIsQueryPlan);
    }
    return backend.access.check(call.context, *call.action, resource);
}

}  // namespace orrery::gateway
