// Data-plane roles: what may be done (a definition), and who may do it where (an assignment). As in
// the resource provider's sqlRoleDefinitions and sqlRoleAssignments.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace orrery::model {

// A part of the account: all of it, a database or a container, by name.
struct RoleScope {
    std::string database = {};   // empty: the whole account
    std::string container = {};  // empty: the whole database

    // "/", "/dbs/DB" or "/dbs/DB/colls/COLL".
    std::string text() const;
    bool contains(const RoleScope& other) const;
    bool operator==(const RoleScope&) const = default;
};

// The texts above, or the same after the id of an account in the resource provider,
// /subscriptions/.../databaseAccounts/NAME. kBadRequest for anything else.
Result<RoleScope> parse_role_scope(std::string_view text);

struct RoleDefinition {
    std::string id;  // a GUID in lower case
    std::string name;
    bool built_in = false;
    std::vector<RoleScope> assignable_scopes;
    // Microsoft.DocumentDB/databaseAccounts/..., where "*" at the end stands for any ending.
    std::vector<std::string> data_actions;

    // Whether the role has this action; case is ignored.
    bool allows(std::string_view action) const;
};

struct RoleAssignment {
    std::string id;         // a GUID in lower case
    std::string role;       // the id of the definition
    std::string principal;  // the object id of a user, group or application
    RoleScope scope;
};

inline constexpr std::string_view kDataReaderRole = "00000000-0000-0000-0000-000000000001";
inline constexpr std::string_view kDataContributorRole = "00000000-0000-0000-0000-000000000002";

// Data Reader and Data Contributor, which every account has.
const std::vector<RoleDefinition>& built_in_roles();

// Takes the members as they are or within "properties". The id is that of the path.
Result<RoleDefinition> parse_role_definition(std::string_view id, const json::Value& body);
Result<RoleAssignment> parse_role_assignment(std::string_view id, const json::Value& body);
// In the resource provider's form, without its ids of the account.
json::Value to_json(const RoleDefinition& definition);
json::Value to_json(const RoleAssignment& assignment);

// In lower case; kBadRequest if it is not a GUID.
Result<std::string> parse_role_id(std::string_view text);

}  // namespace orrery::model
