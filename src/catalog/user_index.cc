#include "catalog/user_index.h"

namespace orrery::catalog {

namespace {

template <typename Map>
typename Map::mapped_type look_up(const Map& map, const typename Map::key_type& key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : found->second;
}

model::DatabaseRid database_of(model::UserRid rid) { return {.number = rid.database}; }

}  // namespace

std::string User::self_link() const {
    return "dbs/" + database_of(rid).text() + "/users/" + rid.text() + "/";
}

std::string Permission::self_link() const {
    return "dbs/" + database_of(rid.user).text() + "/users/" + rid.user.text() + "/permissions/" +
           rid.text() + "/";
}

std::string Permission::scope() const {
    const auto link = model::parse_resource_link(definition.resource);
    std::string out = link ? link->text() : definition.resource;
    if (definition.partition_key) out += " " + definition.partition_key->text();
    return out;
}

UserPtr UserIndex::find_user(model::DatabaseRid database, std::string_view name) const {
    return look_up(users_by_name_, {database, std::string(name)});
}

UserPtr UserIndex::find_user(model::UserRid rid) const { return look_up(users_, rid); }

std::vector<UserPtr> UserIndex::users(model::DatabaseRid database) const {
    std::vector<UserPtr> out;
    auto next = users_.lower_bound({.database = database.number, .number = 0});
    for (; next != users_.end() && next->first.database == database.number; ++next) {
        out.push_back(next->second);
    }
    return out;
}

PermissionPtr UserIndex::find_permission(model::UserRid user, std::string_view name) const {
    return look_up(permissions_by_name_, {user, std::string(name)});
}

PermissionPtr UserIndex::find_permission(const model::PermissionRid& rid) const {
    return look_up(permissions_, rid);
}

PermissionPtr UserIndex::find_permission_on(model::UserRid user, const std::string& scope) const {
    return look_up(permissions_by_scope_, {user, scope});
}

std::vector<PermissionPtr> UserIndex::permissions(model::UserRid user) const {
    std::vector<PermissionPtr> out;
    auto next = permissions_.lower_bound({.user = user, .number = 0});
    for (; next != permissions_.end() && next->first.user == user; ++next) {
        out.push_back(next->second);
    }
    return out;
}

void UserIndex::put(const UserPtr& user) {
    const model::DatabaseRid database = database_of(user->rid);
    if (const UserPtr old = find_user(user->rid)) users_by_name_.erase({database, old->name});
    users_by_name_[{database, user->name}] = user;
    users_[user->rid] = user;
}

void UserIndex::put(const PermissionPtr& permission) {
    remove(permission->rid);
    const model::UserRid user = permission->rid.user;
    permissions_by_name_[{user, permission->definition.id}] = permission;
    permissions_by_scope_[{user, permission->scope()}] = permission;
    permissions_[permission->rid] = permission;
}

void UserIndex::remove(model::UserRid rid) {
    for (const PermissionPtr& permission : permissions(rid))
        remove(permission->rid);
    const UserPtr old = find_user(rid);
    if (!old) return;
    users_by_name_.erase({database_of(rid), old->name});
    users_.erase(rid);
}

void UserIndex::remove(const model::PermissionRid& rid) {
    const PermissionPtr old = find_permission(rid);
    if (!old) return;
    permissions_by_name_.erase({rid.user, old->definition.id});
    permissions_by_scope_.erase({rid.user, old->scope()});
    permissions_.erase(rid);
}

}  // namespace orrery::catalog
