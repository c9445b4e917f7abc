// The users of a database and their permissions: create, read, list, replace, remove. Whoever gets
// a permission gets a token for it. Changes commit to the catalog's store: call only where blocking
// is allowed.

#pragma once

#include <string>
#include <string_view>

#include "auth/resource_token.h"
#include "base/clock.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "service/context.h"
#include "service/page.h"
#include "service/resource_answer.h"
#include "service/resource_feed.h"

namespace orrery::service {

// Decoded path segments. As with containers, that of the database decides whether all are names or
// rids.
struct UserAddress {
    std::string_view database;
    std::string_view user;
};

struct PermissionAddress {
    UserAddress owner;
    std::string_view permission;
};

class Users {
public:
    Users(catalog::Catalog& catalog,
          const ResourceFeed& feed,
          const auth::ResourceTokens& tokens,
          const Clock& clock)
        : catalog_(catalog), feed_(feed), tokens_(tokens), clock_(clock) {}

    struct Upserted {
        ResourceAnswer answer;
        bool created = false;
    };
    // The rid of the owner goes into the feed's envelope.
    struct List {
        std::string owner_rid;
        Page page;
    };

    // 404/1003 if the database is missing.
    Result<ResourceAnswer> create(Context& context,
                                  std::string_view database,
                                  std::string_view body);
    Result<Upserted> upsert(Context& context, std::string_view database, std::string_view body);
    Result<ResourceAnswer> read(const Context& context, const UserAddress& address);
    Result<ResourceAnswer> replace(Context& context,
                                   const UserAddress& address,
                                   std::string_view body);
    Status remove(Context& context, const UserAddress& address);
    Result<List> list(Context& context, std::string_view database, const QueryText* query);

    // 404/1003 if the user is missing, 400 if the request asks for a token of an impossible age.
    Result<ResourceAnswer> create_permission(Context& context,
                                             const UserAddress& owner,
                                             std::string_view body);
    Result<Upserted> upsert_permission(Context& context,
                                       const UserAddress& owner,
                                       std::string_view body);
    Result<ResourceAnswer> read_permission(const Context& context,
                                           const PermissionAddress& address);
    Result<ResourceAnswer> replace_permission(Context& context,
                                              const PermissionAddress& address,
                                              std::string_view body);
    Status remove_permission(Context& context, const PermissionAddress& address);
    Result<List> list_permissions(Context& context,
                                  const UserAddress& owner,
                                  const QueryText* query);

private:
    Result<catalog::UserPtr> find(const UserAddress& address) const;
    Result<catalog::PermissionPtr> find(const PermissionAddress& address) const;
    std::string plain_link(const std::string& resource) const;
    // With a token that is valid for so many seconds from now.
    json::Value permission_json(const catalog::Permission& permission, std::int64_t seconds) const;
    ResourceAnswer answer_with(const catalog::Permission& permission, std::int64_t seconds) const;

    catalog::Catalog& catalog_;
    const ResourceFeed& feed_;
    const auth::ResourceTokens& tokens_;
    const Clock& clock_;
};

}  // namespace orrery::service
