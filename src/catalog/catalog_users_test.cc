#include <gmock/gmock.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/keys.h"
#include "model/test_support.h"
#include "storage/engine_test_support.h"
#include "storage/faulty_engine.h"
#include "storage/memory/memory_engine.h"

namespace orrery::catalog {
namespace catalog_users_test {

using model::testing_support::must;
using model::testing_support::parsed;

model::PermissionDefinition permission(const std::string& id,
                                       const std::string& link = "dbs/d/colls/c",
                                       const std::string& more = "") {
    return must(model::parse_permission_definition(
        parsed(R"({"id":")" + id + R"(","permissionMode":"Read","resource":")" + link + "\"" +
               more + "}")));
}

class CatalogUsersTest : public testing::Test {
protected:
    void SetUp() override {
        reopen();
        database_ = must(catalog_->create_database("d", std::nullopt))->rid;
        ann_ = must(catalog_->create_user(database_, "ann"))->rid;
    }
    void reopen() { catalog_ = must(Catalog::open(must(faulty_.open(0)), clock_, random_)); }

    std::string described() const {
        std::string out;
        for (const DatabasePtr& database : catalog_->databases()) {
            for (const UserPtr& user : catalog_->users(database->rid)) {
                out += encode(*user) + "\n";
                for (const PermissionPtr& one : catalog_->permissions(user->rid)) {
                    out += "  " + encode(*one) + "\n";
                }
            }
        }
        return out;
    }
    void expect_same_after_reopen() {
        const std::string before = described();
        EXPECT_NE(before, "");
        reopen();
        EXPECT_EQ(described(), before);
    }
    std::size_t stored(char letter) {
        std::size_t count = 0;
        for (const auto& [key, value] : storage::testing_support::entries(
                 *must(engine_.open(0)), {}, storage::Direction::kForward)) {
            count += key[0] == letter ? 1 : 0;
        }
        return count;
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
    model::DatabaseRid database_;
    model::UserRid ann_;
};

TEST_F(CatalogUsersTest, FoundByNameAndRid) {
    const auto held = must(catalog_->create_permission(ann_, permission("p")));
    EXPECT_EQ(catalog_->find_user(database_, "ann")->rid, ann_);
    EXPECT_EQ(catalog_->find_user(ann_)->name, "ann");
    EXPECT_EQ(catalog_->find_permission(ann_, "p"), held);
    EXPECT_EQ(catalog_->find_permission(held->rid), held);
    EXPECT_EQ(catalog_->find_user(database_, "Ann"), nullptr);
    EXPECT_EQ(catalog_->find_permission(ann_, "q"), nullptr);
    expect_same_after_reopen();
}

TEST_F(CatalogUsersTest, NamesAreUniquePerOwner) {
    EXPECT_EQ(code_of(catalog_->create_user(database_, "ann")), ErrorCode::kConflict);
    const auto other = must(catalog_->create_database("e", std::nullopt))->rid;
    EXPECT_TRUE(catalog_->create_user(other, "ann"));
    EXPECT_EQ(code_of(catalog_->create_user({.number = 99}, "ann")), ErrorCode::kNotFound);
}

TEST_F(CatalogUsersTest, OnePermissionPerResourceAndKey) {
    const std::string key = R"(,"resourcePartitionKey":["a"])";
    ASSERT_TRUE(catalog_->create_permission(ann_, permission("p")));
    EXPECT_EQ(code_of(catalog_->create_permission(ann_, permission("q", "/dbs/d/colls/c/"))),
              ErrorCode::kConflict);
    ASSERT_TRUE(catalog_->create_permission(ann_, permission("q", "dbs/d/colls/c", key)));
    EXPECT_EQ(code_of(catalog_->create_permission(ann_, permission("r", "dbs/d/colls/c", key))),
              ErrorCode::kConflict);
    const auto bob = must(catalog_->create_user(database_, "bob"))->rid;
    EXPECT_TRUE(catalog_->create_permission(bob, permission("p")));
    expect_same_after_reopen();
}

TEST_F(CatalogUsersTest, ReplaceMayChangeNameAndResource) {
    const auto held = must(catalog_->create_permission(ann_, permission("p")));
    ASSERT_TRUE(
        catalog_->replace_permission(held->rid, permission("q", "dbs/d/colls/x"), std::nullopt));
    EXPECT_EQ(catalog_->find_permission(ann_, "p"), nullptr);
    EXPECT_TRUE(catalog_->create_permission(ann_, permission("p")));
    ASSERT_TRUE(catalog_->replace_user(ann_, "anna", std::nullopt));
    EXPECT_EQ(catalog_->find_user(database_, "ann"), nullptr);
    EXPECT_NE(catalog_->find_permission(ann_, "q"), nullptr);
    ASSERT_TRUE(catalog_->create_user(database_, "bob"));
    EXPECT_EQ(code_of(catalog_->replace_user(ann_, "bob", std::nullopt)), ErrorCode::kConflict);
    expect_same_after_reopen();
}

TEST_F(CatalogUsersTest, UpsertCreatesOrReplaces) {
    EXPECT_TRUE(must(catalog_->upsert_user(database_, "bob", std::nullopt)).created);
    EXPECT_FALSE(must(catalog_->upsert_user(database_, "bob", std::nullopt)).created);
    EXPECT_TRUE(must(catalog_->upsert_permission(ann_, permission("p"), std::nullopt)).created);
    EXPECT_FALSE(must(catalog_->upsert_permission(ann_, permission("p"), std::nullopt)).created);
    EXPECT_EQ(code_of(catalog_->upsert_permission(ann_, permission("q"), std::nullopt)),
              ErrorCode::kConflict);
    expect_same_after_reopen();
}

TEST_F(CatalogUsersTest, ChangesCheckTheEtag) {
    const std::optional<std::string> other = "\"other\"";
    const auto held = must(catalog_->create_permission(ann_, permission("p")));
    const auto failed = ErrorCode::kPreconditionFailed;
    EXPECT_EQ(code_of(catalog_->replace_user(ann_, "x", other)), failed);
    EXPECT_EQ(code_of(catalog_->upsert_user(database_, "ann", other)), failed);
    EXPECT_EQ(code_of(catalog_->remove_user(ann_, other)), failed);
    EXPECT_EQ(code_of(catalog_->replace_permission(held->rid, permission("x"), other)), failed);
    EXPECT_EQ(code_of(catalog_->remove_permission(held->rid, other)), failed);
    EXPECT_TRUE(catalog_->remove_permission(held->rid, held->revision.etag()));
    EXPECT_EQ(code_of(catalog_->remove_permission(held->rid, std::nullopt)), ErrorCode::kNotFound);
}

TEST_F(CatalogUsersTest, AreRemovedWithTheirOwner) {
    ASSERT_TRUE(catalog_->create_permission(ann_, permission("p")));
    const auto bob = must(catalog_->create_user(database_, "bob"))->rid;
    ASSERT_TRUE(catalog_->create_permission(bob, permission("p")));
    ASSERT_TRUE(catalog_->remove_user(ann_, std::nullopt));
    EXPECT_TRUE(catalog_->permissions(ann_).empty());
    EXPECT_EQ(stored(kPermissionLetter), 1U);
    ASSERT_TRUE(catalog_->remove_database(database_, std::nullopt));
    EXPECT_EQ(catalog_->find_user(bob), nullptr);
    EXPECT_EQ(stored(kUserLetter), 0U);
    EXPECT_EQ(stored(kPermissionLetter), 0U);
    reopen();
    EXPECT_EQ(described(), "");
}

TEST_F(CatalogUsersTest, RidsAreNeverReused) {
    ASSERT_TRUE(catalog_->remove_user(ann_, std::nullopt));
    reopen();
    EXPECT_NE(must(catalog_->create_user(database_, "ann"))->rid, ann_);
}

TEST_F(CatalogUsersTest, FailedCommitChangesNothing) {
    const auto held = must(catalog_->create_permission(ann_, permission("p")));
    const std::string before = described();
    const auto fail_next = [&] { faulty_.inject(storage::Fault::kFail, 1); };
    fail_next();
    EXPECT_FALSE(catalog_->create_user(database_, "bob"));
    fail_next();
    EXPECT_FALSE(catalog_->replace_user(ann_, "bob", std::nullopt));
    fail_next();
    EXPECT_FALSE(catalog_->remove_user(ann_, std::nullopt));
    fail_next();
    EXPECT_FALSE(catalog_->create_permission(ann_, permission("q", "dbs/d/colls/x")));
    fail_next();
    EXPECT_FALSE(catalog_->remove_permission(held->rid, std::nullopt));
    EXPECT_EQ(described(), before);
    expect_same_after_reopen();
}

}  // namespace catalog_users_test
}  // namespace orrery::catalog
