#include "index/path_policy.h"

#include <gtest/gtest.h>

#include "index/test_support.h"

namespace orrery::index {
namespace path_policy_test {

using testing_support::must;
using testing_support::path;
using testing_support::policy;
using testing_support::policy_of;

TEST(PathPolicy, TheDefaultIndexesAllButSystemProperties) {
    const auto all = policy();
    EXPECT_TRUE(all->enabled());
    EXPECT_TRUE(all->automatic());
    for (const char* text : {"/a", "/a/b", "/a/[]", "/a/[]/b", "/id", "/_ts", "/pk", "/a/_etag"}) {
        EXPECT_TRUE(all->indexes(path(text))) << text;
    }
    for (const char* text : {"/_etag", "/_rid", "/_self", "/_attachments"}) {
        EXPECT_FALSE(all->indexes(path(text))) << text;
    }
}

// Reference: the more specific path wins (docs index-policy#include-exclude-paths).
TEST(PathPolicy, TheLongerPathWins) {
    const auto rules = policy_of(R"({"includedPaths":[{"path":"/*"},
        {"path":"/food/ingredients/nutrition/*"},{"path":"/x/?"}],
        "excludedPaths":[{"path":"/food/ingredients/*"},{"path":"/x/*"},{"path":"/one/?"}]})");
    EXPECT_TRUE(rules->indexes(path("/food/name")));
    EXPECT_FALSE(rules->indexes(path("/food/ingredients")));
    EXPECT_FALSE(rules->indexes(path("/food/ingredients/name")));
    EXPECT_TRUE(rules->indexes(path("/food/ingredients/nutrition")));
    EXPECT_TRUE(rules->indexes(path("/food/ingredients/nutrition/salt/[]")));
    EXPECT_TRUE(rules->indexes(path("/x")));
    EXPECT_FALSE(rules->indexes(path("/x/y")));
    EXPECT_FALSE(rules->indexes(path("/one")));
    EXPECT_TRUE(rules->indexes(path("/one/two")));
}

TEST(PathPolicy, MandatoryPathsAreIndexed) {
    const auto none = policy(R"({"partitionKey":{"paths":["/k/l"],"version":2},"indexingPolicy":
        {"includedPaths":[{"path":"/a/[]/?"},{"path":"/\"b c\"/?"}],
         "excludedPaths":[{"path":"/*"}]}})");
    for (const char* text : {"/id", "/_ts", "/k/l", "/a/[]", "/\"b c\""}) {
        EXPECT_TRUE(none->indexes(path(text))) << text;
    }
    for (const char* text : {"/k", "/a", "/a/[]/x", "/a/[]/[]", "/other", "/id/x"}) {
        EXPECT_FALSE(none->indexes(path(text))) << text;
    }
}

TEST(PathPolicy, ModeNoneIndexesNothing) {
    const auto none = policy_of(R"({"indexingMode":"none"})");
    EXPECT_FALSE(none->enabled());
    EXPECT_FALSE(none->indexes(path("/id")));
}

TEST(PathPolicy, BracesNameSeveralMembers) {
    const auto tuple = policy_of(R"({"includedPaths":[{"path":"/e/[]/{name,\"the time\"}/?"}],
        "excludedPaths":[{"path":"/*"}]})");
    EXPECT_TRUE(tuple->indexes(path("/e/[]/name")));
    EXPECT_TRUE(tuple->indexes(path("/e/[]/\"the time\"")));
    EXPECT_FALSE(tuple->indexes(path("/e/[]/other")));
}

TEST(PathPolicy, CompositesKeepTheirOrder) {
    const auto rules = policy_of(R"({"includedPaths":[{"path":"/*"}],"compositeIndexes":
        [[{"path":"/a/b"},{"path":"/c","order":"descending"}],
         [{"path":"/c"},{"path":"/a/b","order":"ascending"}]]})");
    ASSERT_EQ(rules->composites().size(), 2U);
    EXPECT_EQ(rules->composites()[0],
              (Composite{{path("/a/b"), Order::kAscending}, {path("/c"), Order::kDescending}}));
    EXPECT_EQ(rules->slot_count(), 2U);
    EXPECT_EQ(rules->composite_slots()[0], (std::vector<std::uint16_t>{0, 1}));
    EXPECT_EQ(rules->composite_slots()[1], (std::vector<std::uint16_t>{1, 0}));
}

TEST(PathPolicy, ComputedPropertiesNeedTheirOwnRule) {
    const auto definition = model::testing_support::container_definition(
        R"({"indexingPolicy":{"includedPaths":[{"path":"/*"},{"path":"/cp_b/?"}]}})");
    const auto rules = must(PathPolicy::compile(
        definition, {{"cp_a", "SELECT VALUE c.a FROM c"}, {"cp_b", "SELECT VALUE c.b FROM c"}}));
    EXPECT_FALSE(rules->indexes(path("/cp_a")));
    EXPECT_TRUE(rules->indexes(path("/cp_b")));
    EXPECT_EQ(must(PathPolicy::from_text(rules->text()))->computed(), rules->computed());
}

// Both spellings of the root, and the implied exclusion of the etag: a client that sends back the
// policy it was shown does not trigger a rebuild.
TEST(PathPolicy, EquivalentSpellingsHaveTheSameText) {
    EXPECT_EQ(policy_of(R"({"includedPaths":[{"path":"/"}]})")->text(), policy()->text());
    EXPECT_EQ(policy_of(R"({"includedPaths":[{"path":"/*","indexes":[{"kind":"Hash"}]}],
                            "excludedPaths":[{"path":"/\"_etag\"/?"}],"indexingMode":"lazy"})")
                  ->text(),
              policy()->text());
    const auto nothing =
        policy_of(R"({"includedPaths":[{"path":"/a/?"}],"excludedPaths":[{"path":"/"}]})");
    EXPECT_TRUE(nothing->indexes(path("/a")));
    EXPECT_FALSE(nothing->indexes(path("/b")));
    EXPECT_FALSE(nothing->indexes(path("/b/c")));
}

TEST(PathPolicy, TheTextIsCompleteAndCanonical) {
    const auto one = policy_of(R"({"automatic":false,
        "includedPaths":[{"path":"/b/?"},{"path":"/*"},{"path":"/\"a\"/?"}],
        "excludedPaths":[{"path":"/x y/*"},{"path":"/\"q\\\"\"/?"}],
        "compositeIndexes":[[{"path":"/a"},{"path":"/b","order":"descending"}]]})");
    const auto other = policy_of(R"({
        "compositeIndexes":[[{"path":"/a","order":"ascending"},
                             {"order":"descending","path":"/\"b\""}]],
        "excludedPaths":[{"path":"/\"q\\\"\"/?"},{"path":"/\"x y\"/*"}],
        "includedPaths":[{"path":"/*","indexes":[{"kind":"Range"}]},{"path":"/a/?"},
                         {"path":"/b/?"},{"path":"/b/?"}],"automatic":false})");
    EXPECT_EQ(one->text(), other->text());
    EXPECT_NE(one->text(), policy()->text());
    const auto back = must(PathPolicy::from_text(one->text()));
    EXPECT_EQ(back->text(), one->text());
    EXPECT_FALSE(back->automatic());
    EXPECT_FALSE(back->indexes(path("/\"x y\"/z")));
    EXPECT_FALSE(back->indexes(path(R"(/"q\"")")));
    EXPECT_EQ(back->composites(), one->composites());
    EXPECT_FALSE(PathPolicy::from_text("{}"));
    EXPECT_FALSE(PathPolicy::from_text("x"));
}

}  // namespace path_policy_test
}  // namespace orrery::index
