#include "service/users.h"

#include <charconv>

#include "base/percent.h"
#include "model/limits.h"
#include "model/permission.h"
#include "service/errors.h"
#include "service/lookup.h"
#include "service/resource_json.h"
#include "throughput/charges.h"

namespace orrery::service {

namespace {

ResourceAnswer answer_with(const catalog::User& user) {
    return {.body = to_json(user), .etag = user.revision.etag()};
}

Result<std::string> parse_user(std::string_view body) {
    return model::parse_user_definition(TRY(parse_object(body)));
}

Result<model::PermissionDefinition> parse_permission(std::string_view body) {
    return model::parse_permission_definition(TRY(parse_object(body)));
}

Result<std::int64_t> token_seconds_of(const Request& request) {
    if (!request.token_seconds) return model::limits::kTokenSecondsDefault;
    const std::string_view text = *request.token_seconds;
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc() || end != text.data() + text.size() ||
        seconds < model::limits::kTokenSecondsMin || seconds > model::limits::kTokenSecondsMax) {
        return bad_request("The value '" + std::string(text.substr(0, 40)) +
                           "' specified for the header 'x-ms-documentdb-expiry-seconds' is "
                           "invalid: it must be a number of seconds from " +
                           std::to_string(model::limits::kTokenSecondsMin) + " to " +
                           std::to_string(model::limits::kTokenSecondsMax) + ".");
    }
    return seconds;
}

}  // namespace

Result<catalog::UserPtr> Users::find(const UserAddress& address) const {
    const auto database = find_database(catalog_, address.database);
    if (!database) return owner_not_found();
    const auto rid = database->by_rid ? model::UserRid::parse(address.user) : std::nullopt;
    const model::DatabaseRid owner = database->database->rid;
    if (rid && rid->database != owner.number) return not_found();
    auto user = rid ? catalog_.find_user(*rid) : catalog_.find_user(owner, address.user);
    if (!user) return not_found();
    return user;
}

Result<catalog::PermissionPtr> Users::find(const PermissionAddress& address) const {
    const auto user = find(address.owner);
    if (!user) return owner_not_found();
    const auto database = TRY(find_database(catalog_, address.owner.database));
    const auto rid =
        database.by_rid ? model::PermissionRid::parse(address.permission) : std::nullopt;
    if (rid && rid->user != (*user)->rid) return not_found();
    auto permission = rid ? catalog_.find_permission(*rid)
                          : catalog_.find_permission((*user)->rid, address.permission);
    if (!permission) return not_found();
    return permission;
}

Result<ResourceAnswer> Users::create(Context& context,
                                     std::string_view database,
                                     std::string_view body) {
    const auto owner = find_database(catalog_, database);
    if (!owner) return owner_not_found();
    const std::string name = TRY(parse_user(body));
    const auto user = TRY(catalog_.create_user(owner->database->rid, name));
    context.receipt.charge = throughput::kResourceCharge;
    return service::answer_with(*user);
}

Result<Users::Upserted> Users::upsert(Context& context,
                                      std::string_view database,
                                      std::string_view body) {
    const auto owner = find_database(catalog_, database);
    if (!owner) return owner_not_found();
    const std::string name = TRY(parse_user(body));
    const auto upserted =
        TRY(catalog_.upsert_user(owner->database->rid, name, if_match_of(context.request)));
    context.receipt.charge = throughput::kResourceCharge;
    return Upserted{.answer = service::answer_with(*upserted.user), .created = upserted.created};
}

Result<ResourceAnswer> Users::read(const Context& context, const UserAddress& address) {
    const catalog::UserPtr user = TRY(find(address));
    return read_answer(context.request, to_json(*user), user->revision.etag());
}

Result<ResourceAnswer> Users::replace(Context& context,
                                      const UserAddress& address,
                                      std::string_view body) {
    const catalog::UserPtr old = TRY(find(address));
    const std::string name = TRY(parse_user(body));
    const auto user = TRY(catalog_.replace_user(old->rid, name, if_match_of(context.request)));
    context.receipt.charge = throughput::kResourceCharge;
    return service::answer_with(*user);
}

Status Users::remove(Context& context, const UserAddress& address) {
    const catalog::UserPtr user = TRY(find(address));
    TRY(catalog_.remove_user(user->rid, if_match_of(context.request)));
    context.receipt.charge = throughput::kResourceCharge;
    return {};
}

Result<Users::List> Users::list(Context& context,
                                std::string_view database,
                                const QueryText* query) {
    const auto owner = find_database(catalog_, database);
    if (!owner) return owner_not_found();
    std::vector<Listed> all;
    for (const catalog::UserPtr& user : catalog_.users(owner->database->rid)) {
        all.push_back({user->rid.number, [user] { return to_json(*user); }});
    }
    const std::string rid = owner->database->rid.text();
    return List{.owner_rid = rid, .page = TRY(feed_.page(context, all, query, "users " + rid))};
}

Result<ResourceAnswer> Users::create_permission(Context& context,
                                                const UserAddress& owner,
                                                std::string_view body) {
    const auto user = find(owner);
    if (!user) return owner_not_found();
    const std::int64_t seconds = TRY(token_seconds_of(context.request));
    auto definition = TRY(parse_permission(body));
    const auto permission = TRY(catalog_.create_permission((*user)->rid, std::move(definition)));
    context.receipt.charge = throughput::kResourceCharge;
    return answer_with(*permission, seconds);
}

Result<Users::Upserted> Users::upsert_permission(Context& context,
                                                 const UserAddress& owner,
                                                 std::string_view body) {
    const auto user = find(owner);
    if (!user) return owner_not_found();
    const std::int64_t seconds = TRY(token_seconds_of(context.request));
    auto definition = TRY(parse_permission(body));
    const auto upserted = TRY(catalog_.upsert_permission(
        (*user)->rid, std::move(definition), if_match_of(context.request)));
    context.receipt.charge = throughput::kResourceCharge;
    return Upserted{.answer = answer_with(*upserted.permission, seconds),
                    .created = upserted.created};
}

Result<ResourceAnswer> Users::read_permission(const Context& context,
                                              const PermissionAddress& address) {
    const catalog::PermissionPtr permission = TRY(find(address));
    const std::int64_t seconds = TRY(token_seconds_of(context.request));
    return read_answer(
        context.request, permission_json(*permission, seconds), permission->revision.etag());
}

Result<ResourceAnswer> Users::replace_permission(Context& context,
                                                 const PermissionAddress& address,
                                                 std::string_view body) {
    const catalog::PermissionPtr old = TRY(find(address));
    const std::int64_t seconds = TRY(token_seconds_of(context.request));
    auto definition = TRY(parse_permission(body));
    const auto permission = TRY(
        catalog_.replace_permission(old->rid, std::move(definition), if_match_of(context.request)));
    context.receipt.charge = throughput::kResourceCharge;
    return answer_with(*permission, seconds);
}

Status Users::remove_permission(Context& context, const PermissionAddress& address) {
    const catalog::PermissionPtr permission = TRY(find(address));
    TRY(catalog_.remove_permission(permission->rid, if_match_of(context.request)));
    context.receipt.charge = throughput::kResourceCharge;
    return {};
}

Result<Users::List> Users::list_permissions(Context& context,
                                            const UserAddress& owner,
                                            const QueryText* query) {
    const auto user = find(owner);
    if (!user) return owner_not_found();
    const std::int64_t seconds = TRY(token_seconds_of(context.request));
    std::vector<Listed> all;
    for (const catalog::PermissionPtr& permission : catalog_.permissions((*user)->rid)) {
        all.push_back({permission->rid.number, [this, permission, seconds] {
                           return permission_json(*permission, seconds);
                       }});
    }
    const std::string rid = (*user)->rid.text();
    return List{.owner_rid = rid,
                .page = TRY(feed_.page(context, all, query, "permissions " + rid))};
}

// .NET escapes the names in links, others do not: what names a container as it is was not escaped.
std::string Users::plain_link(const std::string& resource) const {
    if (resource.find('%') == std::string::npos) return resource;
    const auto is_found = [&](const std::string& text) {
        const auto link = model::parse_resource_link(text);
        return link && find_container(catalog_,
                                      {.database = link->database, .container = link->container},
                                      kNewestApiVersion);
    };
    auto unescaped = percent_decode(resource);
    if (!unescaped || is_found(resource) || !is_found(*unescaped)) return resource;
    return std::move(*unescaped);
}

json::Value Users::permission_json(const catalog::Permission& permission,
                                   std::int64_t seconds) const {
    const model::PermissionDefinition& definition = permission.definition;
    const std::string resource = plain_link(definition.resource);
    const auto link = model::parse_resource_link(resource);
    auth::ResourceGrant grant;
    grant.mode = definition.mode;
    if (link) {
        const auto rid = model::DatabaseRid::parse(link->database);
        grant.by_rid = rid && catalog_.find_database(*rid) != nullptr;
        grant.database = link->database;
        grant.container = link->container;
        grant.child_type = link->child_type;
        grant.child = link->child;
    }
    if (definition.partition_key) {
        // It was checked when the permission was stored.
        auto key = model::parse_partition_key_header(definition.partition_key->text());
        if (key) grant.partition_key = std::move(key).take();
    }
    grant.issued = clock_.now_seconds();
    grant.expires = grant.issued + seconds;
    json::Value out = to_json(permission);
    out.set("_token", tokens_.issue(grant));
    return out;
}

ResourceAnswer Users::answer_with(const catalog::Permission& permission,
                                  std::int64_t seconds) const {
    return {.body = permission_json(permission, seconds), .etag = permission.revision.etag()};
}

}  // namespace orrery::service
