#include <string>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "model/test_support.h"
#include "storage/faulty_engine.h"
#include "storage/memory/memory_engine.h"

namespace orrery::catalog {
namespace catalog_roles_test {

using model::testing_support::must;
using model::testing_support::parsed;

constexpr const char* kRole = "aaaaaaaa-0000-0000-0000-000000000001";
constexpr const char* kAssignment = "bbbbbbbb-0000-0000-0000-000000000001";
constexpr const char* kRead =
    "Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers/items/read";

class CatalogRolesTest : public testing::Test {
protected:
    void SetUp() override { reopen(); }
    void reopen() { catalog_ = must(Catalog::open(must(faulty_.open(0)), clock_, random_)); }

    static model::RoleDefinition role(const std::string& name, const std::string& scope = "/") {
        return must(model::parse_role_definition(
            kRole,
            parsed(R"({"roleName":")" + name + R"(","assignableScopes":[")" + scope +
                   R"("],"permissions":[{"dataActions":[")" + kRead + R"("]}]})")));
    }
    static model::RoleAssignment assignment(const std::string& role,
                                            const std::string& scope = "/",
                                            const std::string& id = kAssignment) {
        return must(model::parse_role_assignment(
            id,
            parsed(R"({"roleDefinitionId":")" + role + R"(","scope":")" + scope +
                   R"(","principalId":"me"})")));
    }
    template <typename T>
    static ErrorCode code_of(const T& result) {
        return result ? ErrorCode::kInternal : result.error().code();
    }

    storage::MemoryEngine engine_;
    storage::FaultyEngine faulty_{engine_};
    ManualClock clock_{std::chrono::seconds(1'700'000'000)};
    SeededRandom random_{1};
    std::unique_ptr<Catalog> catalog_;
};

TEST_F(CatalogRolesTest, AllowWhatIsAssignedAlsoAfterReopening) {
    EXPECT_TRUE(must(catalog_->put_role(role("r"))));
    EXPECT_FALSE(must(catalog_->put_role(role("r2"))));
    EXPECT_TRUE(must(catalog_->put_role_assignment(assignment(kRole, "/dbs/d"))));
    for (int i = 0; i < 2; ++i) {
        const RoleSetPtr roles = catalog_->roles();
        EXPECT_TRUE(roles->allows("me", kRead, {.database = "d", .container = "c"}));
        EXPECT_FALSE(roles->allows("me", kRead, {.database = "e"}));
        EXPECT_FALSE(roles->allows("you", kRead, {.database = "d"}));
        EXPECT_TRUE(roles->allows_somewhere("me", kRead));
        EXPECT_FALSE(roles->allows_somewhere("me", "other"));
        reopen();
    }
    ASSERT_TRUE(catalog_->remove_role_assignment(kAssignment));
    EXPECT_FALSE(catalog_->roles()->allows_somewhere("me", kRead));
    ASSERT_TRUE(catalog_->remove_role(kRole));
    reopen();
    EXPECT_EQ(catalog_->roles()->definitions.size(), 2U);
    EXPECT_TRUE(catalog_->roles()->assignments.empty());
}

TEST_F(CatalogRolesTest, RefusesWhatDoesNotFit) {
    const std::string reader(model::kDataReaderRole);
    EXPECT_EQ(code_of(catalog_->put_role_assignment(assignment(kRole))), ErrorCode::kBadRequest);
    ASSERT_TRUE(catalog_->put_role(role("r", "/dbs/d")));
    EXPECT_EQ(code_of(catalog_->put_role_assignment(assignment(kRole))), ErrorCode::kBadRequest);
    ASSERT_TRUE(catalog_->put_role_assignment(assignment(kRole, "/dbs/d/colls/c")));
    EXPECT_EQ(code_of(catalog_->put_role_assignment(
                  assignment(kRole, "/dbs/d/colls/c", "bbbbbbbb-0000-0000-0000-000000000002"))),
              ErrorCode::kConflict);
    EXPECT_EQ(code_of(catalog_->remove_role(kRole)), ErrorCode::kConflict);
    EXPECT_EQ(code_of(catalog_->remove_role(reader)), ErrorCode::kForbidden);
    model::RoleDefinition built_in = role("x");
    built_in.id = reader;
    EXPECT_EQ(code_of(catalog_->put_role(built_in)), ErrorCode::kForbidden);
    model::RoleDefinition same_name = role("r");
    same_name.id = "aaaaaaaa-0000-0000-0000-000000000009";
    EXPECT_EQ(code_of(catalog_->put_role(same_name)), ErrorCode::kConflict);
    EXPECT_EQ(code_of(catalog_->remove_role("none")), ErrorCode::kNotFound);
    EXPECT_EQ(code_of(catalog_->remove_role_assignment("none")), ErrorCode::kNotFound);
}

TEST_F(CatalogRolesTest, FailedCommitChangesNothing) {
    faulty_.inject(storage::Fault::kFail, 1);
    EXPECT_EQ(code_of(catalog_->put_role(role("r"))), ErrorCode::kUnavailable);
    EXPECT_EQ(catalog_->roles()->definitions.size(), 2U);
    reopen();
    EXPECT_EQ(catalog_->roles()->definitions.size(), 2U);
}

}  // namespace catalog_roles_test
}  // namespace orrery::catalog
