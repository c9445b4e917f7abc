#include "model/indexing_policy.h"

#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "model/test_support.h"

namespace orrery::model {
namespace {

using testing::HasSubstr;
using testing_support::parsed;
using testing_support::refusal;

std::string completed(std::string_view given) {
    const json::Value policy = parsed(given);
    const auto out = complete_indexing_policy(&policy);
    return out ? out->text() : "refused: " + out.error().message();
}

std::string refused(std::string_view given) {
    const json::Value policy = parsed(given);
    return refusal(complete_indexing_policy(&policy));
}

// n distinct paths.
std::string paths(std::size_t count) {
    std::string out = "[";
    for (std::size_t i = 0; i < count; ++i) {
        out += (i == 0 ? "" : ",") + std::string("{\"path\":\"/p") + std::to_string(i) + "/?\"}";
    }
    return out + "]";
}

constexpr const char* kDefault =
    R"({"indexingMode":"consistent","automatic":true,"includedPaths":[{"path":"/*"}],)"
    R"("excludedPaths":[{"path":"/\"_etag\"/?"}]})";

TEST(IndexingPolicy, WithoutOneEverythingIsIndexed) {
    const auto absent = complete_indexing_policy(nullptr);
    ASSERT_TRUE(absent);
    EXPECT_EQ(absent->text(), kDefault);
    EXPECT_EQ(completed("{}"), kDefault);
    EXPECT_EQ(completed("null"), kDefault);
    EXPECT_EQ(completed(R"({"indexingMode":null})"), kDefault);
    EXPECT_EQ(completed(R"({"indexingMode":"Consistent"})"), kDefault);
}

TEST(IndexingPolicy, ModeNoneListsNoPaths) {
    EXPECT_EQ(completed(R"({"indexingMode":"none"})"),
              R"({"indexingMode":"none","automatic":false,"includedPaths":[],"excludedPaths":[]})");
    EXPECT_EQ(completed(R"({"indexingMode":"None","automatic":true})"),
              R"({"indexingMode":"none","automatic":true,"includedPaths":[],"excludedPaths":[]})");
}

TEST(IndexingPolicy, GivenPathsAreKept) {
    EXPECT_EQ(
        completed(R"({"automatic":false,"includedPaths":[{"path":"/a/?","indexes":[{"kind":)"
                  R"("Range","dataType":"Number","precision":-1}]},{"path":"/\"b c\"/[]/*"}],)"
                  R"("excludedPaths":[{"path":"/*"}]})"),
        R"({"indexingMode":"consistent","automatic":false,"includedPaths":[{"path":"/a/?",)"
        R"("indexes":[{"kind":"Range","dataType":"Number","precision":-1}]},)"
        R"({"path":"/\"b c\"/[]/*"}],"excludedPaths":[{"path":"/*"}]})");
}

TEST(IndexingPolicy, OneListAloneDoesNotFillInTheOther) {
    EXPECT_EQ(completed(R"({"excludedPaths":[{"path":"/*"}]})"),
              R"({"indexingMode":"consistent","automatic":true,"includedPaths":[],)"
              R"("excludedPaths":[{"path":"/*"}]})");
    EXPECT_EQ(completed(R"({"includedPaths":[{"path":"/*"},{"path":"/a/?"}]})"),
              R"({"indexingMode":"consistent","automatic":true,"includedPaths":[{"path":"/*"},)"
              R"({"path":"/a/?"}],"excludedPaths":[{"path":"/\"_etag\"/?"}]})");
    EXPECT_EQ(completed(R"({"includedPaths":[],"excludedPaths":[]})"), kDefault);
}

TEST(IndexingPolicy, TheRootMustBeInOneOfTheLists) {
    for (const char* given : {R"({"includedPaths":[{"path":"/a/?"}]})",
                              R"({"excludedPaths":[{"path":"/a/*"}]})",
                              R"({"includedPaths":[{"path":"/a/*"}],"excludedPaths":[]})"}) {
        EXPECT_THAT(refused(given), HasSubstr("special mandatory indexing path")) << given;
    }
}

TEST(IndexingPolicy, CompletionIsIdempotent) {
    for (const char* given : {"{}",
                              R"({"indexingMode":"none"})",
                              R"({"automatic":false})",
                              R"({"includedPaths":[{"path":"/a/?"},{"path":"/*"}]})",
                              R"({"compositeIndexes":[[{"path":"/a"},{"path":"/b"}]]})"}) {
        const std::string once = completed(given);
        EXPECT_EQ(completed(once), once) << given;
    }
}

TEST(IndexingPolicy, BadShapesAreRefused) {
    EXPECT_THAT(refused("[]"), HasSubstr("must be an object"));
    EXPECT_THAT(refused("\"consistent\""), HasSubstr("must be an object"));
    EXPECT_THAT(refused(R"({"indexingMode":"eager"})"), HasSubstr("indexingMode"));
    EXPECT_THAT(refused(R"({"indexingMode":1})"), HasSubstr("indexingMode"));
    EXPECT_THAT(refused(R"({"indexingMode":"lazy"})"), HasSubstr("lazy"));
    EXPECT_THAT(refused(R"({"indexingMode":"Lazy"})"), HasSubstr("lazy"));
    EXPECT_THAT(refused(R"({"automatic":"true"})"), HasSubstr("automatic"));
    EXPECT_THAT(refused(R"({"includedPaths":{}})"), HasSubstr("includedPaths must be an array"));
    EXPECT_THAT(refused(R"({"excludedPaths":"/*"})"), HasSubstr("excludedPaths must be an array"));
}

TEST(IndexingPolicy, BadPathsAreRefused) {
    for (const char* path : {R"({})",
                             R"("/a/?")",
                             R"({"path":1})",
                             R"({"path":""})",
                             R"({"path":"/"})",
                             R"({"path":"/a"})",
                             R"({"path":"a/?"})",
                             R"({"path":"/a/"})",
                             R"({"path":"*"})",
                             R"({"path":"/a?"})",
                             R"({"path":"/a/[/?"})",
                             R"({"path":"/a/\"b/?"})",
                             R"({"path":"/{a,b}/{c,d}/?"})",
                             R"({"path":"//?"})"}) {
        const std::string list = std::string("[") + path + "]";
        EXPECT_THAT(refused("{\"includedPaths\":" + list + "}"), HasSubstr("included path"))
            << path;
        EXPECT_THAT(refused("{\"excludedPaths\":" + list + "}"), HasSubstr("excluded path"))
            << path;
    }
}

TEST(IndexingPolicy, NumberOfPathsIsLimited) {
    const std::string root = R"([{"path":"/*"}])";
    EXPECT_THAT(completed("{\"excludedPaths\":" + root + ",\"includedPaths\":" + paths(1500) + "}"),
                HasSubstr("/p1499/?"));
    EXPECT_THAT(completed("{\"includedPaths\":" + root + ",\"excludedPaths\":" + paths(1500) + "}"),
                HasSubstr("/p1499/?"));
    EXPECT_THAT(refused("{\"includedPaths\":" + paths(1501) + "}"), HasSubstr("1500"));
    EXPECT_THAT(refused("{\"excludedPaths\":" + paths(1501) + "}"), HasSubstr("1500"));
}

TEST(IndexingPolicy, CompositeIndexesAreChecked) {
    const std::string good =
        R"([[{"path":"/a","order":"ascending"},{"path":"/b","order":"descending"}],[{"path":"/c"},)"
        R"({"path":"/d"}]])";
    EXPECT_THAT(completed("{\"compositeIndexes\":" + good + "}"), HasSubstr(good));
    EXPECT_EQ(completed(R"({"compositeIndexes":null})"), kDefault);
    for (const char* bad : {"{}",
                            "[{}]",
                            "[[]]",
                            R"([["/a"]])",
                            R"([[{"path":"a"}]])",
                            R"([[{"path":1}]])",
                            R"([[{"path":"/a/*"}]])",
                            R"([[{"path":"/a/[]/b"}]])",
                            R"([[{"order":"ascending"}]])",
                            R"([[{"path":"/a","order":"up"}]])",
                            R"([[{"path":"/a","order":1}]])"}) {
        EXPECT_THAT(refused(std::string("{\"compositeIndexes\":") + bad + "}"),
                    HasSubstr("composite"))
            << bad;
    }
}

TEST(IndexingPolicy, NumberOfCompositePathsIsLimited) {
    const auto composites = [](std::size_t count, std::size_t size) {
        std::string out = "{\"compositeIndexes\":[";
        for (std::size_t i = 0; i < count; ++i) {
            out += (i == 0 ? "" : ",") + paths(size);
        }
        return out + "]}";
    };
    EXPECT_THAT(completed(composites(12, 8)), HasSubstr("compositeIndexes"));
    EXPECT_THAT(completed(composites(50, 2)), HasSubstr("compositeIndexes"));
    EXPECT_THAT(refused(composites(1, 9)), HasSubstr("up to 8"));
    EXPECT_THAT(refused(composites(51, 2)), HasSubstr("more than 100"));
}

TEST(IndexingPolicy, UnsupportedKindsAreRefusedByName) {
    for (const char* name : {"spatialIndexes", "vectorIndexes", "fullTextIndexes"}) {
        const std::string member = std::string("{\"") + name + "\":";
        EXPECT_THAT(refused(member + R"([{"path":"/x"}]})"), HasSubstr(name));
        EXPECT_THAT(refused(member + "{}}"), HasSubstr(name));
        EXPECT_EQ(completed(member + "[]}"), kDefault);
        EXPECT_EQ(completed(member + "null}"), kDefault);
    }
}

}  // namespace
}  // namespace orrery::model
