#include "index/path_tree.h"

#include <gtest/gtest.h>

#include "index/shapes.h"
#include "index/test_support.h"

namespace orrery::index {
namespace path_tree_test {

using testing_support::must;
using testing_support::path;
using testing_support::policy;
using testing_support::policy_of;

TEST(PathTree, PathsGetIdsInOrderOfAppearance) {
    PathTree tree(*policy());
    const PathTree::Place a = tree.member(PathTree::kRoot, "a");
    EXPECT_EQ(tree.at(a).id, 1U);
    const PathTree::Place elements = tree.element(a);
    EXPECT_EQ(tree.at(elements).id, 2U);
    EXPECT_TRUE(tree.at(elements).in_array);
    const PathTree::Place b = tree.member(elements, "b");
    EXPECT_TRUE(tree.at(b).in_array);
    EXPECT_EQ(tree.member(PathTree::kRoot, "a"), a);
    EXPECT_EQ(tree.element(a), elements);
    EXPECT_NE(tree.member(a, "[]"), elements);
    EXPECT_EQ(tree.path(3), path("/a/[]/b"));
    EXPECT_EQ(tree.path_count(), 4U);
    EXPECT_EQ(tree.at(tree.member(PathTree::kRoot, "_etag")).id, 0U);
    EXPECT_FALSE(tree.has_unlisted());
}

TEST(PathTree, ExcludedPlacesLeadNowhere) {
    PathTree tree(
        *policy_of(R"({"includedPaths":[{"path":"/a/b/?"}],"excludedPaths":[{"path":"/*"}]})"));
    EXPECT_EQ(tree.member(PathTree::kRoot, "x"), PathTree::kNowhere);
    const PathTree::Place a = tree.member(PathTree::kRoot, "a");
    ASSERT_NE(a, PathTree::kNowhere);
    EXPECT_EQ(tree.at(a).id, 0U);
    EXPECT_EQ(tree.at(tree.member(a, "b")).id, 1U);
    EXPECT_EQ(tree.member(a, "c"), PathTree::kNowhere);
}

TEST(PathTree, RollsBackWhatWasAdded) {
    PathTree tree(*policy());
    const PathTree::Place id = tree.member(PathTree::kRoot, "id");  // a place of the policy
    EXPECT_EQ(tree.at(id).id, 1U);
    const auto before = tree.savepoint();
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 500; ++i) {
            const auto place = tree.member(PathTree::kRoot, "n" + std::to_string(i));
            EXPECT_EQ(tree.at(tree.member(place, "x")).id, 2U * static_cast<unsigned>(i) + 3);
        }
        EXPECT_EQ(tree.at(tree.member(PathTree::kRoot, "_ts")).id, 1002U);
        tree.rollback_to(before);
        EXPECT_EQ(tree.path_count(), 1U);
        EXPECT_EQ(tree.at(id).id, 1U);
    }
    EXPECT_EQ(tree.at(tree.member(PathTree::kRoot, "_ts")).id, 2U);
}

TEST(PathTree, StopsListingAtTheLimit) {
    PathTree tree(*policy());
    EXPECT_EQ(tree.member(PathTree::kRoot, std::string(kPathBytesMax, 'x')), PathTree::kNowhere);
    EXPECT_TRUE(tree.has_unlisted());
    const auto before = tree.savepoint();
    for (std::size_t i = 0; i < kPathsMax; ++i) {
        EXPECT_NE(tree.member(PathTree::kRoot, std::to_string(i)), PathTree::kNowhere);
    }
    EXPECT_EQ(tree.member(PathTree::kRoot, "more"), PathTree::kNowhere);
    EXPECT_EQ(tree.at(tree.member(PathTree::kRoot, "id")).id, 0U);
    EXPECT_EQ(tree.at(tree.member(PathTree::kRoot, "77")).id, 78U);
    tree.rollback_to(before);
    EXPECT_EQ(tree.at(tree.member(PathTree::kRoot, "more")).id, 1U);
}

TEST(PathTree, RestoresFromItsPaths) {
    const auto rules =
        policy_of(R"({"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/no/*"}]})");
    PathTree tree(*rules);
    EXPECT_TRUE(tree.restore(path("/a/[]/b"), 2));
    EXPECT_FALSE(tree.is_complete());
    EXPECT_TRUE(tree.restore(path("/id"), 1));
    EXPECT_TRUE(tree.is_complete());
    EXPECT_TRUE(tree.restore(path("/a"), 3));
    EXPECT_EQ(tree.path(2), path("/a/[]/b"));
    EXPECT_EQ(tree.at(tree.member(PathTree::kRoot, "a")).id, 3U);
    EXPECT_EQ(tree.at(tree.element(tree.member(PathTree::kRoot, "a"))).id, 4U);
    EXPECT_FALSE(tree.restore(path("/no/x"), 5));
    EXPECT_FALSE(tree.restore(path("/a"), 5));
    EXPECT_FALSE(tree.restore(path("/z"), 0));
    EXPECT_FALSE(tree.restore(path("/z"), kPathsMax + 1));
}

TEST(PathTree, EncodesPaths) {
    EXPECT_EQ(encode_path(path("/a/[]/b")),
              std::string("\x02"
                          "a\0\x02"
                          "b",
                          5));
    for (const char* text : {"/a", "/a/[]/[]", "/\"x/y\"/z"}) {
        EXPECT_EQ(must(decode_path(encode_path(path(text)))), path(text));
        EXPECT_EQ(model::to_text(path(text)), text);
    }
    const model::IndexPath empty_name{{.name = "", .element = false}};
    EXPECT_EQ(must(decode_path(encode_path(empty_name))), empty_name);
    EXPECT_FALSE(
        decode_path("\x05"
                    "a"));
}

TEST(Shapes, AreListedOnce) {
    Shapes shapes;
    const std::vector<PathId> one{1, 2, 3};
    const std::vector<PathId> other{1, 2};
    EXPECT_EQ(shapes.id_of(one), kFirstShape);
    EXPECT_EQ(shapes.id_of(other), kFirstShape + 1);
    EXPECT_EQ(shapes.id_of(one), kFirstShape);
    EXPECT_EQ(shapes.id_of({}), kFirstShape + 2);
    EXPECT_EQ(shapes.paths(kFirstShape), one);
    shapes.rollback_to(1);
    EXPECT_EQ(shapes.id_of(other), kFirstShape + 1);
    EXPECT_EQ(shapes.id_of(one), kFirstShape);
    for (PathId i = 0; shapes.count() < kShapesMax; ++i) {
        shapes.id_of(std::vector<PathId>{7, i});
    }
    EXPECT_EQ(shapes.id_of(std::vector<PathId>{8}), kUnlistedShape);
    EXPECT_EQ(shapes.id_of(other), kFirstShape + 1);
}

}  // namespace path_tree_test
}  // namespace orrery::index
