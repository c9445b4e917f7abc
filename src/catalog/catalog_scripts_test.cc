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
namespace catalog_scripts_test {

using model::ScriptKind;
using model::testing_support::container_definition;
using model::testing_support::must;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr ScriptKind kProcedure = ScriptKind::kStoredProcedure;

model::ScriptDefinition script(const std::string& id, const std::string& body = "function () {}") {
    return {.id = id, .body = body, .trigger = std::nullopt};
}

class CatalogScriptsTest : public testing::Test {
protected:
    void SetUp() override {
        reopen();
        database_ = must(catalog_->create_database("d", std::nullopt))->rid;
        rid_ = container("c");
    }
    void reopen() { catalog_ = must(Catalog::open(must(faulty_.open(0)), clock_, random_)); }

    model::ContainerRid container(const std::string& name) {
        return must(catalog_->create_container(
                        database_,
                        {.definition = container_definition("{\"id\":\"" + name + "\"}"),
                         .throughput = std::nullopt,
                         .partition_count = 1}))
            ->rid;
    }
    ContainerPtr owner() const { return catalog_->find_container(rid_); }
    ScriptPtr create(const std::string& id, ScriptKind kind = kProcedure) {
        return must(catalog_->create_script(rid_, kind, script(id)));
    }
    std::vector<std::string> names(ScriptKind kind = kProcedure) const {
        std::vector<std::string> out;
        for (const ScriptPtr& one : owner()->scripts.list(kind)) {
            out.push_back(one->definition.id);
        }
        return out;
    }
    std::string described() const {
        std::string out;
        for (const ContainerPtr& one : catalog_->all_containers()) {
            out += encode(*one) + "\n";
            for (const ScriptKind kind : model::kScriptKinds) {
                for (const ScriptPtr& held : one->scripts.list(kind)) {
                    out += "  " + encode(*held) + "\n";
                }
            }
        }
        return out;
    }
    void expect_same_after_reopen() {
        const std::string before = described();
        reopen();
        EXPECT_EQ(described(), before);
    }
    std::vector<std::string> stored_scripts() {
        std::vector<std::string> keys;
        for (const auto& [key, value] : storage::testing_support::entries(
                 *must(engine_.open(0)), {}, storage::Direction::kForward)) {
            if (key[0] == kScriptLetter) keys.push_back(key);
        }
        return keys;
    }

    storage::MemoryEngine engine_;
    storage::FaultyEngine faulty_{engine_};
    ManualClock clock_{std::chrono::seconds(1'700'000'000)};
    SeededRandom random_{1};
    std::unique_ptr<Catalog> catalog_;
    model::DatabaseRid database_;
    model::ContainerRid rid_;
};

template <typename T>
ErrorCode code_of(const Result<T>& result) {
    EXPECT_FALSE(result);
    return result ? ErrorCode::kInternal : result.error().code();
}

TEST_F(CatalogScriptsTest, FoundByNameAndRidInTheirContainer) {
    const ScriptPtr made = create("p");
    EXPECT_EQ(made->self_link(),
              "dbs/AQAAAA==/colls/AQAAAIAAAAE=/sprocs/" + made->rid.text() + "/");
    EXPECT_EQ(made->revision.timestamp, 1'700'000'000);
    const ScriptSet& scripts = owner()->scripts;
    EXPECT_EQ(scripts.find(kProcedure, "p"), made);
    EXPECT_EQ(scripts.find(made->rid), made);
    EXPECT_EQ(scripts.find(kProcedure, "P"), nullptr);
    EXPECT_EQ(scripts.find(ScriptKind::kUdf, "p"), nullptr);
    model::ScriptRid elsewhere = made->rid;
    elsewhere.container.number++;
    EXPECT_EQ(scripts.find(elsewhere), nullptr);
    expect_same_after_reopen();
}

TEST_F(CatalogScriptsTest, NamesAreUniquePerKind) {
    create("s");
    EXPECT_EQ(code_of(catalog_->create_script(rid_, kProcedure, script("s"))),
              ErrorCode::kConflict);
    create("s", ScriptKind::kUdf);
    const model::ContainerRid other = container("other");
    must(catalog_->create_script(other, kProcedure, script("s")));
    EXPECT_EQ(
        code_of(catalog_->create_script({.database = 1, .number = 9}, kProcedure, script("s"))),
        ErrorCode::kNotFound);
    expect_same_after_reopen();
}

TEST_F(CatalogScriptsTest, OldContainerKeepsItsScripts) {
    create("p");
    const ContainerPtr before = owner();
    const ScriptPtr old = before->scripts.find(kProcedure, "p");
    clock_.advance(std::chrono::seconds(5));
    const ScriptPtr replaced =
        must(catalog_->replace_script(old->rid, script("p", "new"), std::nullopt));
    EXPECT_EQ(replaced->rid, old->rid);
    EXPECT_NE(replaced->revision.etag(), old->revision.etag());
    EXPECT_EQ(before->scripts.find(kProcedure, "p")->definition.body, "function () {}");
    EXPECT_EQ(owner()->scripts.find(kProcedure, "p")->definition.body, "new");
    EXPECT_EQ(owner()->revision.etag(), before->revision.etag())
        << "the container itself is unchanged";
    EXPECT_EQ(catalog_->find_container(database_, "c"), owner());
    expect_same_after_reopen();
}

TEST_F(CatalogScriptsTest, ReplaceMayChangeTheName) {
    const ScriptPtr first = create("first");
    create("second");
    EXPECT_EQ(code_of(catalog_->replace_script(first->rid, script("second"), std::nullopt)),
              ErrorCode::kConflict);
    must(catalog_->replace_script(first->rid, script("third"), std::nullopt));
    EXPECT_THAT(names(), ElementsAre("third", "second"));
    EXPECT_EQ(owner()->scripts.find(kProcedure, "first"), nullptr);
    create("first");
    EXPECT_THAT(names(), ElementsAre("third", "second", "first"));
    expect_same_after_reopen();
}

TEST_F(CatalogScriptsTest, UpsertCreatesOrReplaces) {
    const auto made = must(catalog_->upsert_script(rid_, kProcedure, script("p"), std::nullopt));
    EXPECT_TRUE(made.created);
    const auto again = must(catalog_->upsert_script(rid_, kProcedure, script("p", "new"), "*"));
    EXPECT_FALSE(again.created);
    EXPECT_EQ(again.script->rid, made.script->rid);
    EXPECT_EQ(code_of(catalog_->upsert_script(
                  rid_, kProcedure, script("p"), made.script->revision.etag())),
              ErrorCode::kPreconditionFailed);
    EXPECT_EQ(owner()->scripts.find(kProcedure, "p"), again.script);
    expect_same_after_reopen();
}

TEST_F(CatalogScriptsTest, ChangesCheckTheEtag) {
    const ScriptPtr old = create("p");
    const ScriptPtr replaced =
        must(catalog_->replace_script(old->rid, script("p"), old->revision.etag()));
    EXPECT_EQ(code_of(catalog_->replace_script(old->rid, script("p"), old->revision.etag())),
              ErrorCode::kPreconditionFailed);
    EXPECT_EQ(code_of(catalog_->remove_script(old->rid, old->revision.etag())),
              ErrorCode::kPreconditionFailed);
    EXPECT_TRUE(catalog_->remove_script(old->rid, replaced->revision.etag()));
    EXPECT_EQ(code_of(catalog_->remove_script(old->rid, std::nullopt)), ErrorCode::kNotFound);
    EXPECT_EQ(code_of(catalog_->replace_script(old->rid, script("p"), std::nullopt)),
              ErrorCode::kNotFound);
    expect_same_after_reopen();
}

TEST_F(CatalogScriptsTest, LimitsScriptsPerKind) {
    for (const ScriptKind kind : model::kScriptKinds) {
        for (std::size_t i = 0; i < model::count_max(kind); ++i) {
            create("s" + std::to_string(i), kind);
        }
        EXPECT_EQ(code_of(catalog_->create_script(rid_, kind, script("more"))),
                  ErrorCode::kForbidden);
        EXPECT_EQ(code_of(catalog_->upsert_script(rid_, kind, script("more"), std::nullopt)),
                  ErrorCode::kForbidden);
        EXPECT_TRUE(catalog_->upsert_script(rid_, kind, script("s0"), std::nullopt));
        ASSERT_TRUE(catalog_->remove_script(owner()->scripts.find(kind, "s1")->rid, std::nullopt));
        create("more", kind);
        EXPECT_EQ(owner()->scripts.count(kind), model::count_max(kind));
    }
}

TEST_F(CatalogScriptsTest, RidsAreNeverReused) {
    const ScriptPtr first = create("p");
    ASSERT_TRUE(catalog_->remove_script(first->rid, std::nullopt));
    reopen();
    EXPECT_GT(create("p")->rid.number, first->rid.number);
}

TEST_F(CatalogScriptsTest, SurviveReplacingTheContainer) {
    create("p");
    must(catalog_->replace_container(
        rid_, container_definition(R"({"defaultTtl":60})"), std::nullopt));
    EXPECT_THAT(names(), ElementsAre("p"));
    expect_same_after_reopen();
}

TEST_F(CatalogScriptsTest, AreRemovedWithTheirContainer) {
    for (const ScriptKind kind : model::kScriptKinds) {
        create("s", kind);
    }
    const ContainerPtr before = owner();
    ASSERT_TRUE(catalog_->remove_container(rid_, std::nullopt));
    EXPECT_THAT(stored_scripts(), IsEmpty());
    const ScriptPtr lost = before->scripts.find(kProcedure, "s");
    EXPECT_EQ(code_of(catalog_->remove_script(lost->rid, std::nullopt)), ErrorCode::kNotFound);
    rid_ = container("c");
    EXPECT_THAT(names(), IsEmpty());
    create("s");
    ASSERT_TRUE(catalog_->remove_database(database_, std::nullopt));
    EXPECT_THAT(stored_scripts(), IsEmpty());
    expect_same_after_reopen();
}

TEST_F(CatalogScriptsTest, FailedCommitChangesNothing) {
    const ScriptPtr made = create("p");
    const std::string before = described();
    const auto fail_next = [&] { faulty_.inject(storage::Fault::kFail, 1); };
    fail_next();
    EXPECT_EQ(code_of(catalog_->create_script(rid_, kProcedure, script("q"))),
              ErrorCode::kUnavailable);
    fail_next();
    EXPECT_EQ(code_of(catalog_->replace_script(made->rid, script("q"), std::nullopt)),
              ErrorCode::kUnavailable);
    fail_next();
    EXPECT_EQ(code_of(catalog_->remove_script(made->rid, std::nullopt)), ErrorCode::kUnavailable);
    EXPECT_EQ(described(), before);
    expect_same_after_reopen();
}

TEST_F(CatalogScriptsTest, RefusesAScriptWithoutItsContainer) {
    create("p");
    storage::WriteBatch batch;
    batch.remove(key_of(rid_));
    ASSERT_TRUE(must(engine_.open(0))->commit(batch));
    EXPECT_EQ(code_of(Catalog::open(must(engine_.open(0)), clock_, random_)),
              ErrorCode::kCorrupted);
}

}  // namespace catalog_scripts_test
}  // namespace orrery::catalog
