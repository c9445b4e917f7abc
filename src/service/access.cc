#include "service/access.h"

#include "model/effective_partition_key.h"
#include "model/partition_key.h"
#include "service/scripts.h"

namespace orrery::service {

namespace {

using auth::Action;
using auth::ResourceGrant;
using PrincipalKind = auth::Principal::Kind;

Status allowed_if(bool allowed) {
    if (allowed) return {};
    return insufficient_permissions();
}

// What the holder of a token for all of a resource may do in its container.
bool is_in_container(Action action) {
    switch (action) {
        case Action::kReadScript:
        case Action::kWriteScript:
        case Action::kReadItem:
        case Action::kCreateItem:
        case Action::kUpsertItem:
        case Action::kReplaceItem:
        case Action::kDeleteItem:
        case Action::kQueryItems:
        case Action::kReadFeed:
        case Action::kRunBatch:
        case Action::kExecuteProcedure:
        case Action::kReadAttachment:
        case Action::kWriteAttachment:
        case Action::kReadConflict:
        case Action::kDeleteConflict:
            return true;
        default:
            return false;
    }
}

bool allows(model::PermissionMode mode, Action action) {
    if (!is_in_container(action)) return false;
    return mode == model::PermissionMode::kAll || auth::is_read(action) ||
           action == Action::kRunBatch;
}

// By what the path means if it means something, so that either kind of link works with either kind
// of request.
bool covers_container(const ResourceGrant& grant,
                      const Result<FoundContainer>& found,
                      const AccessedResource& resource) {
    if (!found) {
        return !grant.by_rid && grant.database == resource.database &&
               grant.container == resource.container;
    }
    if (grant.by_rid) return grant.container == found->container->rid.text();
    return grant.database == found->database->name &&
           grant.container == found->container->definition.id;
}

// Scripts are known by name and rid. Items are not: their links must be of the same kind.
bool covers_child(const ResourceGrant& grant,
                  const Result<FoundContainer>& found,
                  const AccessedResource& resource) {
    if (resource.child.empty() || resource.child_type != grant.child_type) return false;
    if (found) {
        for (const model::ScriptKind kind : model::kScriptKinds) {
            if (model::segment_of(kind) != grant.child_type) continue;
            const auto script =
                find_script({.owner = *found, .kind = kind, .segment = resource.child});
            if (!script) break;
            return grant.child == (grant.by_rid ? (*script)->rid.text() : (*script)->definition.id);
        }
    }
    return (!found || found->by_rid == grant.by_rid) && grant.child == resource.child;
}

bool begins_with(const model::PartitionKeyValue& key, const model::PartitionKeyValue& prefix) {
    if (key.size() < prefix.size()) return false;
    for (std::size_t i = 0; i < prefix.size(); ++i) {
        if (key.components()[i] != prefix.components()[i]) return false;
    }
    return true;
}

bool header_begins_with(std::string_view header, const model::PartitionKeyValue& prefix) {
    const auto key = model::parse_partition_key_header(header);
    return key && begins_with(*key, prefix);
}

// SDKs ask for the items of a key prefix by the range of its hashes.
bool epks_within(const Request& request,
                 const model::PartitionKeyDefinition& definition,
                 const model::PartitionKeyValue& key) {
    if (!request.start_epk || !request.end_epk) return false;
    const auto start = model::parse_epk(*request.start_epk);
    const auto end = model::parse_epk(*request.end_epk);
    if (!start || !end || key.size() >= definition.paths.size()) return false;
    const model::EpkRange allowed = model::prefix_range(key);
    return *start >= allowed.min_inclusive && *end <= allowed.max_exclusive;
}

// Whether the request is about items of that key only.
bool is_within_key(const Request& request,
                   const Result<FoundContainer>& found,
                   const model::PartitionKeyValue& key) {
    if (request.partition_key) return header_begins_with(*request.partition_key, key);
    return found && epks_within(request, found->container->definition.partition_key, key);
}

}  // namespace

Error insufficient_permissions() {
    return Error(ErrorCode::kForbidden,
                 "Insufficient permissions provided in the authorization header for the "
                 "corresponding request. Please retry with another authorization header.");
}

auth::Action action_of(model::BatchOperation::Kind kind) {
    using OperationKind = model::BatchOperation::Kind;
    switch (kind) {
        case OperationKind::kCreate:
            return Action::kCreateItem;
        case OperationKind::kUpsert:
            return Action::kUpsertItem;
        case OperationKind::kRead:
            return Action::kReadItem;
        case OperationKind::kReplace:
        case OperationKind::kPatch:
            return Action::kReplaceItem;
        case OperationKind::kDelete:
            break;
    }
    return Action::kDeleteItem;
}

Status Access::check(const Context& context,
                     Action action,
                     const AccessedResource& resource) const {
    switch (context.principal.kind) {
        case PrincipalKind::kAccountKey:
            return {};
        case PrincipalKind::kReadOnlyKey:
            // Tokens of permissions may allow more than the key.
            return allowed_if(action == Action::kRunBatch ||
                              (auth::is_read(action) && action != Action::kReadPermission));
        case PrincipalKind::kResourceToken:
            return check_grant(context, action, resource);
        case PrincipalKind::kBearerToken:
            return check_roles(context, action, resource);
        case PrincipalKind::kNobody:
            break;
    }
    return insufficient_permissions();
}

Status Access::check_grant(const Context& context,
                           Action action,
                           const AccessedResource& resource) const {
    const ResourceGrant& grant = *context.principal.grant;
    // SDKs read the account with whatever token they have.
    if (action == Action::kReadAccount) return {};
    if (resource.container.empty()) return insufficient_permissions();
    const auto found =
        find_container(catalog_,
                       {.database = resource.database, .container = resource.container},
                       context.request.api_version);
    if (!covers_container(grant, found, resource)) return insufficient_permissions();
    // SDKs need these before they can use anything in the container.
    if (action == Action::kReadContainer || action == Action::kReadRanges) return {};
    if (!allows(grant.mode, action)) return insufficient_permissions();
    if (!grant.child_type.empty()) {
        TRY(allowed_if(covers_child(grant, found, resource) && !resource.names_triggers));
    }
    if (!grant.partition_key || action == Action::kReadScript || resource.is_plan) return {};
    if (action == Action::kWriteScript) return insufficient_permissions();
    // In a bulk each operation has its own key.
    if (action == Action::kRunBatch && !context.request.partition_key) return {};
    return allowed_if(is_within_key(context.request, found, *grant.partition_key));
}

Status Access::check_batch(const Context& context,
                           const FoundContainer& found,
                           const std::vector<model::BatchOperation>& operations) const {
    const auth::Principal& principal = context.principal;
    if (principal.kind == PrincipalKind::kAccountKey) return {};
    if (principal.kind == PrincipalKind::kBearerToken)
        return check_role_batch(context, found, operations);
    for (const model::BatchOperation& operation : operations) {
        const Action action = action_of(operation.kind);
        if (principal.kind == PrincipalKind::kReadOnlyKey) {
            TRY(allowed_if(auth::is_read(action)));
            continue;
        }
        if (!principal.grant || !allows(principal.grant->mode, action))
            return insufficient_permissions();
        if (!principal.grant->partition_key) continue;
        const auto key = operation.partition_key
                             ? std::optional<std::string_view>(*operation.partition_key)
                             : context.request.partition_key;
        TRY(allowed_if(key && header_begins_with(*key, *principal.grant->partition_key)));
    }
    return {};
}

}  // namespace orrery::service
