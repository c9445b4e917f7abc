// The users of all databases and their permissions, in memory: by name, by rid and, for
// permissions, by what they are given on. Not thread-safe; part of the catalog.

#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/revision.h"
#include "model/permission.h"
#include "model/resource_id.h"

namespace orrery::catalog {

struct User {
    model::UserRid rid;
    std::string name;
    Revision revision;

    std::string self_link() const;  // dbs/AQAAAA==/users/AQAAAAAAAAE=/
};

struct Permission {
    model::PermissionRid rid;
    model::PermissionDefinition definition;
    Revision revision;

    std::string self_link() const;  // .../permissions/AQAAAAAAAAEBAAAAAAAAAA==/
    // The link and the partition key: a user has at most one permission on each.
    std::string scope() const;
};

using UserPtr = std::shared_ptr<const User>;
using PermissionPtr = std::shared_ptr<const Permission>;

class UserIndex {
public:
    // Null if there is none. Lists are in creation order.
    UserPtr find_user(model::DatabaseRid database, std::string_view name) const;
    UserPtr find_user(model::UserRid rid) const;
    std::vector<UserPtr> users(model::DatabaseRid database) const;
    PermissionPtr find_permission(model::UserRid user, std::string_view name) const;
    PermissionPtr find_permission(const model::PermissionRid& rid) const;
    PermissionPtr find_permission_on(model::UserRid user, const std::string& scope) const;
    std::vector<PermissionPtr> permissions(model::UserRid user) const;
    std::size_t user_count() const { return users_.size(); }
    std::size_t permission_count() const { return permissions_.size(); }

    // Each replaces the one with the same rid.
    void put(const UserPtr& user);
    void put(const PermissionPtr& permission);
    // With its permissions.
    void remove(model::UserRid rid);
    void remove(const model::PermissionRid& rid);

private:
    using NameInDatabase = std::pair<model::DatabaseRid, std::string>;
    using TextOfUser = std::pair<model::UserRid, std::string>;

    std::map<model::UserRid, UserPtr> users_;
    std::map<NameInDatabase, UserPtr> users_by_name_;
    std::map<model::PermissionRid, PermissionPtr> permissions_;
    std::map<TextOfUser, PermissionPtr> permissions_by_name_;
    std::map<TextOfUser, PermissionPtr> permissions_by_scope_;
};

}  // namespace orrery::catalog
