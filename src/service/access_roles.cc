// The part of access control that decides by data-plane roles.

#include "service/access.h"

namespace orrery::service {

namespace {

using auth::Action;

// The SDKs' names of the sub-statuses of 403.
enum SubStatus : std::uint32_t {
    kOperationNotSupported = 5300,
    kUnauthorizedMetadataRequest = 5301,
    kUnauthorizedNameBasedDataRequest = 5302,
    kUnauthorizedRidBasedDataRequest = 5303,
};

constexpr std::string_view kReadMetadata = "Microsoft.DocumentDB/databaseAccounts/readMetadata";

// Empty for what no role allows: management, throughput, users.
std::string_view data_action_of(Action action) {
#define CONTAINERS "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers/"
    switch (action) {
        case Action::kReadAccount:
        case Action::kReadDatabase:
        case Action::kReadContainer:
        case Action::kReadRanges:
        case Action::kReadScript:
        case Action::kReadClientKey:
            return kReadMetadata;
        case Action::kReadItem:
        case Action::kReadAttachment:
            return CONTAINERS "items/read";
        case Action::kCreateItem:
            return CONTAINERS "items/create";
        case Action::kUpsertItem:
            return CONTAINERS "items/upsert";
        case Action::kReplaceItem:
        case Action::kWriteAttachment:
            return CONTAINERS "items/replace";
        case Action::kDeleteItem:
            return CONTAINERS "items/delete";
        case Action::kQueryItems:
            return CONTAINERS "executeQuery";
        case Action::kReadFeed:
            return CONTAINERS "readChangeFeed";
        case Action::kExecuteProcedure:
            return CONTAINERS "executeStoredProcedure";
        case Action::kReadConflict:
        case Action::kDeleteConflict:
            return CONTAINERS "manageConflicts";
        default:
            return {};
    }
#undef CONTAINERS
}

Error blocked(SubStatus sub_status, const std::string& why) {
    return Error(ErrorCode::kForbidden,
                 "Request blocked by Auth orrery : " + why +
                     " Learn more: https://aka.ms/cosmos-native-rbac.",
                 sub_status);
}

// Whether the identity or one of its groups has a role that allows it.
bool has_role(const catalog::RoleSet& roles, const auth::Identity& identity, const auto& allows) {
    if (allows(roles, identity.object_id)) return true;
    for (const std::string& group : identity.groups) {
        if (allows(roles, group)) return true;
    }
    return false;
}

struct Need {
    std::string_view action;
    model::RoleScope scope;
    bool anywhere = false;  // any scope will do
    bool by_rid = false;
};

Status check_need(const catalog::Catalog& catalog,
                  const auth::Identity& identity,
                  const Need& need) {
    // Whoever has an account key may do everything that a role can allow.
    if (identity.trusted) return {};
    const bool allowed = has_role(*catalog.roles(),
                                  identity,
                                  [&](const catalog::RoleSet& roles, const std::string& principal) {
                                      return need.anywhere
                                                 ? roles.allows_somewhere(principal, need.action)
                                                 : roles.allows(principal, need.action, need.scope);
                                  });
    if (allowed) return {};
    const SubStatus data =
        need.by_rid ? kUnauthorizedRidBasedDataRequest : kUnauthorizedNameBasedDataRequest;
    return blocked(need.action == kReadMetadata ? kUnauthorizedMetadataRequest : data,
                   "Request is blocked because principal [" + identity.object_id +
                       "] does not have required RBAC permissions to perform action [" +
                       std::string(need.action) + "] on " +
                       (need.anywhere ? "any scope." : "resource [" + need.scope.text() + "]."));
}

// By name, whichever way the request names it.
void set_scope(Need& need, const catalog::Catalog& catalog, const AccessedResource& resource) {
    need.scope = {.database = std::string(resource.database),
                  .container = std::string(resource.container)};
    const auto database = find_database(catalog, resource.database);
    if (!database || !database->by_rid) return;
    need.by_rid = true;
    need.scope.database = database->database->name;
    const auto rid = model::ContainerRid::parse(resource.container);
    const auto container = rid ? catalog.find_container(*rid) : nullptr;
    if (container) need.scope.container = container->definition.id;
}

}  // namespace

Status Access::check_roles(const Context& context,
                           Action action,
                           const AccessedResource& resource) const {
    const auth::Identity& identity = *context.principal.identity;
    if (action == Action::kRunBatch) return {};  // by its operations, see check_batch()
    Need need;
    need.action = data_action_of(action);
    if (need.action.empty()) {
        std::string_view path = resource.target.substr(0, resource.target.find('?'));
        return blocked(kOperationNotSupported,
                       "The given request [" + std::string(resource.method) + " " +
                           std::string(path) +
                           "] cannot be authorized by AAD token in data plane.");
    }
    need.anywhere = action == Action::kReadAccount;
    if (!resource.database.empty()) set_scope(need, catalog_, resource);
    return check_need(catalog_, identity, need);
}

Status Access::check_role_batch(const Context& context,
                                const FoundContainer& found,
                                const std::vector<model::BatchOperation>& operations) const {
    for (const model::BatchOperation& operation : operations) {
        TRY(check_need(catalog_,
                       *context.principal.identity,
                       {.action = data_action_of(action_of(operation.kind)),
                        .scope = {.database = found.database->name,
                                  .container = found.container->definition.id},
                        .anywhere = false,
                        .by_rid = found.by_rid}));
    }
    return {};
}

}  // namespace orrery::service
