// The part of the catalog that manages users and their permissions.

#include "catalog/catalog.h"
#include "catalog/keys.h"
#include "catalog/refusals.h"
#include "model/limits.h"

namespace orrery::catalog {

Status Catalog::load_users(const std::vector<UserPtr>& users,
                           const std::vector<PermissionPtr>& permissions) {
    for (const UserPtr& user : users) {
        if (!find_database(model::DatabaseRid{user->rid.database})) {
            return Error(ErrorCode::kCorrupted, "the catalog has a user whose database is missing");
        }
        users_.put(user);
    }
    for (const PermissionPtr& permission : permissions) {
        if (!users_.find_user(permission->rid.user)) {
            return Error(ErrorCode::kCorrupted,
                         "the catalog has a permission whose user is missing");
        }
        users_.put(permission);
    }
    return {};
}

UserPtr Catalog::find_user(model::DatabaseRid database, std::string_view name) const {
    const std::shared_lock lock(mutex_);
    return users_.find_user(database, name);
}

UserPtr Catalog::find_user(model::UserRid rid) const {
    const std::shared_lock lock(mutex_);
    return users_.find_user(rid);
}

std::vector<UserPtr> Catalog::users(model::DatabaseRid database) const {
    const std::shared_lock lock(mutex_);
    return users_.users(database);
}

PermissionPtr Catalog::find_permission(model::UserRid user, std::string_view name) const {
    const std::shared_lock lock(mutex_);
    return users_.find_permission(user, name);
}

PermissionPtr Catalog::find_permission(const model::PermissionRid& rid) const {
    const std::shared_lock lock(mutex_);
    return users_.find_permission(rid);
}

std::vector<PermissionPtr> Catalog::permissions(model::UserRid user) const {
    const std::shared_lock lock(mutex_);
    return users_.permissions(user);
}

Result<UserPtr> Catalog::create_user(model::DatabaseRid database, std::string_view name) {
    const std::lock_guard changing(change_mutex_);
    if (!find_database(database)) return not_found();
    if (users_.find_user(database, name)) return name_taken();
    return add_user(database, name);
}

Result<Catalog::UpsertedUser> Catalog::upsert_user(model::DatabaseRid database,
                                                   std::string_view name,
                                                   const std::optional<std::string>& if_match) {
    const std::lock_guard changing(change_mutex_);
    if (!find_database(database)) return not_found();
    if (const UserPtr old = users_.find_user(database, name)) {
        return UpsertedUser{.user = TRY(change_user(*old, name, if_match)), .created = false};
    }
    return UpsertedUser{.user = TRY(add_user(database, name)), .created = true};
}

Result<UserPtr> Catalog::replace_user(model::UserRid rid,
                                      std::string_view name,
                                      const std::optional<std::string>& if_match) {
    const std::lock_guard changing(change_mutex_);
    const UserPtr old = users_.find_user(rid);
    if (!old) return not_found();
    return change_user(*old, name, if_match);
}

Status Catalog::remove_user(model::UserRid rid, const std::optional<std::string>& if_match) {
    const std::lock_guard changing(change_mutex_);
    const UserPtr old = users_.find_user(rid);
    if (!old) return not_found();
    TRY(check_etag(if_match, old->revision));
    Change change = begin_change();
    stage_removal(change, *old);
    TRY(commit(change));
    const Publication publication(*this);
    users_.remove(rid);
    return {};
}

Result<PermissionPtr> Catalog::create_permission(model::UserRid user,
                                                 model::PermissionDefinition definition) {
    const std::lock_guard changing(change_mutex_);
    if (!users_.find_user(user)) return not_found();
    return add_permission(user, std::move(definition));
}

Result<Catalog::UpsertedPermission> Catalog::upsert_permission(
    model::UserRid user,
    model::PermissionDefinition definition,
    const std::optional<std::string>& if_match) {
    const std::lock_guard changing(change_mutex_);
    if (!users_.find_user(user)) return not_found();
    if (const PermissionPtr old = users_.find_permission(user, definition.id)) {
        return UpsertedPermission{
            .permission = TRY(change_permission(*old, std::move(definition), if_match)),
            .created = false};
    }
    return UpsertedPermission{.permission = TRY(add_permission(user, std::move(definition))),
                              .created = true};
}

Result<PermissionPtr> Catalog::replace_permission(const model::PermissionRid& rid,
                                                  model::PermissionDefinition definition,
                                                  const std::optional<std::string>& if_match) {
    const std::lock_guard changing(change_mutex_);
    const PermissionPtr old = users_.find_permission(rid);
    if (!old) return not_found();
    return change_permission(*old, std::move(definition), if_match);
}

Status Catalog::remove_permission(const model::PermissionRid& rid,
                                  const std::optional<std::string>& if_match) {
    const std::lock_guard changing(change_mutex_);
    const PermissionPtr old = users_.find_permission(rid);
    if (!old) return not_found();
    TRY(check_etag(if_match, old->revision));
    Change change = begin_change();
    change.batch.remove(key_of(rid));
    TRY(commit(change));
    const Publication publication(*this);
    users_.remove(rid);
    return {};
}

Result<UserPtr> Catalog::add_user(model::DatabaseRid database, std::string_view name) {
    if (users_.user_count() >= model::limits::kUsersMax ||
        counters_.user == model::UserRid::kNumberMax) {
        return too_many_users();
    }
    Change change = begin_change();
    const model::UserRid rid{.database = database.number, .number = ++change.counters.user};
    return publish_user(change, {.rid = rid, .name = std::string(name), .revision = {}});
}

Result<UserPtr> Catalog::change_user(const User& old,
                                     std::string_view name,
                                     const std::optional<std::string>& if_match) {
    TRY(check_etag(if_match, old.revision));
    const UserPtr named = users_.find_user(model::DatabaseRid{old.rid.database}, name);
    if (named && named->rid != old.rid) return name_taken();
    Change change = begin_change();
    return publish_user(change, {.rid = old.rid, .name = std::string(name), .revision = {}});
}

Result<UserPtr> Catalog::publish_user(Change& change, User user) {
    user.revision = change.revision;
    change.batch.put(key_of(user.rid), encode(user));
    TRY(commit(change));
    const auto published = std::make_shared<const User>(std::move(user));
    const Publication publication(*this);
    users_.put(published);
    return UserPtr(published);
}

Result<PermissionPtr> Catalog::add_permission(model::UserRid user,
                                              model::PermissionDefinition definition) {
    if (users_.permission_count() >= model::limits::kPermissionsMax) return too_many_permissions();
    Change change = begin_change();
    // As with scripts, the version is never reused and always grows.
    return publish_permission(change,
                              {.rid = {.user = user, .number = change.revision.version},
                               .definition = std::move(definition),
                               .revision = {}});
}

Result<PermissionPtr> Catalog::change_permission(const Permission& old,
                                                 model::PermissionDefinition definition,
                                                 const std::optional<std::string>& if_match) {
    TRY(check_etag(if_match, old.revision));
    Change change = begin_change();
    return publish_permission(
        change, {.rid = old.rid, .definition = std::move(definition), .revision = {}});
}

Result<PermissionPtr> Catalog::publish_permission(Change& change, Permission permission) {
    const auto is_other = [&](const PermissionPtr& one) {
        return one && one->rid != permission.rid;
    };
    const model::UserRid user = permission.rid.user;
    if (is_other(users_.find_permission(user, permission.definition.id)) ||
        is_other(users_.find_permission_on(user, permission.scope()))) {
        return name_taken();
    }
    permission.revision = change.revision;
    change.batch.put(key_of(permission.rid), encode(permission));
    TRY(commit(change));
    const auto published = std::make_shared<const Permission>(std::move(permission));
    const Publication publication(*this);
    users_.put(published);
    return PermissionPtr(published);
}

void Catalog::stage_removal(Change& change, const User& user) const {
    change.batch.remove(key_of(user.rid));
    for (const PermissionPtr& permission : users_.permissions(user.rid)) {
        change.batch.remove(key_of(permission->rid));
    }
}

}  // namespace orrery::catalog
