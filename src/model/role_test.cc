#include "model/role.h"

#include <gtest/gtest.h>

#include "model/test_support.h"

namespace orrery::model {
namespace role_test {

using testing_support::must;
using testing_support::parsed;

constexpr const char* kId = "AAAAAAAA-0000-0000-0000-000000000003";
constexpr const char* kItems =
    "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers/items/";

Result<RoleDefinition> with_actions(const std::string& actions) {
    return parse_role_definition(
        kId,
        parsed(
            R"({"properties":{"roleName":"r","assignableScopes":["/"],"permissions":[{"dataActions":)" +
            actions + "}]}}"));
}

TEST(RoleScope, ContainsWhatIsBelow) {
    const RoleScope account;
    const RoleScope database{.database = "d"};
    const RoleScope container{.database = "d", .container = "c"};
    EXPECT_TRUE(account.contains(account));
    EXPECT_TRUE(account.contains(container));
    EXPECT_TRUE(database.contains(container));
    EXPECT_FALSE(database.contains(account));
    EXPECT_FALSE(container.contains(database));
    EXPECT_FALSE(database.contains({.database = "dd"}));
    EXPECT_FALSE(container.contains({.database = "d", .container = "cc"}));
}

TEST(RoleScope, IsReadWithAndWithoutTheAccount) {
    const std::string account =
        "/subscriptions/S/resourceGroups/G/providers/Microsoft.DocumentDB/databaseAccounts/A";
    for (const char* scope : {"/", "/dbs/d", "/dbs/d/colls/c"}) {
        EXPECT_EQ(must(parse_role_scope(scope)).text(), scope);
        EXPECT_EQ(must(parse_role_scope(account + scope)).text(), scope);
    }
    EXPECT_EQ(must(parse_role_scope(account)).text(), "/");
    for (const char* scope :
         {"", "dbs/d", "/dbs", "/dbs/d/colls", "/dbs/d/users/u", "/x/d", "/a/b/c/d/e/f"}) {
        EXPECT_FALSE(parse_role_scope(scope)) << scope;
    }
}

TEST(RoleDefinition, KnowsActionsAndWildcards) {
    const auto all = must(with_actions(R"(["microsoft.documentdb/databaseaccounts/*"])"));
    EXPECT_TRUE(all.allows("Microsoft.DocumentDB/databaseAccounts/readMetadata"));
    EXPECT_TRUE(all.allows(std::string(kItems) + "read"));
    const auto items = must(with_actions("[\"" + std::string(kItems) + "*\"]"));
    EXPECT_TRUE(items.allows(std::string(kItems) + "delete"));
    EXPECT_FALSE(items.allows("Microsoft.DocumentDB/databaseAccounts/readMetadata"));
    const auto one = must(with_actions("[\"" + std::string(kItems) + "read\"]"));
    EXPECT_TRUE(one.allows(std::string(kItems) + "READ"));
    EXPECT_FALSE(one.allows(std::string(kItems) + "replace"));
    EXPECT_EQ(one.id, "aaaaaaaa-0000-0000-0000-000000000003");
}

TEST(RoleDefinition, RefusesWhatItCannotMean) {
    for (const std::string& actions :
         {std::string("[]"),
          std::string("\"x\""),
          std::string("[1]"),
          std::string("[\"*\"]"),
          std::string("[\"/*\"]"),
          std::string("[\"Microsoft.DocumentDB/databaseAccounts/write\"]"),
          "[\"" + std::string(kItems) + "re*\"]"}) {
        EXPECT_FALSE(with_actions(actions)) << actions;
    }
    const std::string start =
        R"({"roleName":"r","assignableScopes":["/"],"permissions":[{"dataActions":[")" +
        std::string(kItems) + R"(read"])";
    EXPECT_TRUE(parse_role_definition(kId, parsed(start + R"(,"notDataActions":[]}]})")));
    EXPECT_FALSE(parse_role_definition(kId, parsed(start + R"(,"notDataActions":["x"]}]})")));
    EXPECT_FALSE(parse_role_definition(kId, parsed(start + R"(}],"type":"BuiltInRole"})")));
    EXPECT_FALSE(parse_role_definition("1", parsed(start + "}]}")));
    EXPECT_FALSE(parse_role_definition(kId, parsed("{}")));
}

TEST(RoleDefinition, BuiltInRolesAreThoseOfTheService) {
    const auto& roles = built_in_roles();
    ASSERT_EQ(roles.size(), 2U);
    EXPECT_TRUE(roles[0].allows(std::string(kItems) + "read"));
    EXPECT_FALSE(roles[0].allows(std::string(kItems) + "create"));
    EXPECT_TRUE(roles[1].allows(std::string(kItems) + "create"));
}

TEST(RoleDefinition, SurvivesTheRoundTrip) {
    const auto role = must(with_actions("[\"" + std::string(kItems) + "*\"]"));
    const auto again = must(parse_role_definition(role.id, to_json(role)));
    EXPECT_EQ(to_json(again).text(), to_json(role).text());
    const auto assignment = must(parse_role_assignment(
        kId,
        parsed(
            R"({"roleDefinitionId":"/x/sqlRoleDefinitions/00000000-0000-0000-0000-000000000001",)"
            R"("scope":"/dbs/d","principalId":"p"})")));
    EXPECT_EQ(assignment.role, kDataReaderRole);
    const auto reread = must(parse_role_assignment(assignment.id, to_json(assignment)));
    EXPECT_EQ(to_json(reread).text(), to_json(assignment).text());
}

}  // namespace role_test
}  // namespace orrery::model
