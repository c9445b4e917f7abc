#include "model/indexing_policy.h"

#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "model/test_support.h"

namespace orrery::model {
namespace indexing_policy_test {

using testing::HasSubstr;
using testing_support::parsed;
using testing_support::refusal;

using Form = PolicyForm;

// As it is stored.
std::string completed(std::string_view given, Form form = Form::kCurrent) {
    const json::Value policy = parsed(given);
    const auto out = complete_indexing_policy(&policy, form);
    return out ? out->text() : "refused: " + out.error().message();
}

// A policy that a client sent in one form, as a client of the same or the other form sees it.
std::string shown(Form form, std::string_view given, Form sent_in = Form::kCurrent) {
    return indexing_policy_in(form, parsed(completed(given, sent_in))).text();
}

std::string refused(std::string_view given) {
    const json::Value policy = parsed(given);
    return refusal(complete_indexing_policy(&policy, Form::kCurrent));
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
    R"("excludedPaths":[]})";
constexpr const char* kDefaultShown =
    R"({"indexingMode":"consistent","automatic":true,"includedPaths":[{"path":"/*"}],)"
    R"("excludedPaths":[{"path":"/\"_etag\"/?"}]})";
constexpr const char* kDefaultShownToOldClients =
    R"({"indexingMode":"consistent","automatic":true,"includedPaths":[{"path":"/*","indexes":[)"
    R"({"kind":"Range","dataType":"Number","precision":-1},)"
    R"({"kind":"Hash","dataType":"String","precision":3}]}],"excludedPaths":[]})";

TEST(IndexingPolicy, WithoutOneEverythingIsIndexed) {
    const auto absent = complete_indexing_policy(nullptr, Form::kCurrent);
    ASSERT_TRUE(absent);
    EXPECT_EQ(absent->text(), kDefault);
    EXPECT_EQ(completed("{}"), kDefault);
    EXPECT_EQ(completed("null"), kDefault);
    EXPECT_EQ(completed(R"({"indexingMode":null})"), kDefault);
    EXPECT_EQ(completed(R"({"indexingMode":"Consistent"})"), kDefault);
    for (const Form sent_in : {Form::kCurrent, Form::kLegacy}) {
        EXPECT_EQ(shown(Form::kCurrent, "{}", sent_in), kDefaultShown);
        EXPECT_EQ(shown(Form::kLegacy, "{}", sent_in), kDefaultShownToOldClients);
    }
}

TEST(IndexingPolicy, TheEtagIsExcludedWhereNoPathNamesIt) {
    EXPECT_EQ(shown(Form::kCurrent, R"({"excludedPaths":[{"path":"/*"},{"path":"/a/?"}]})"),
              R"({"indexingMode":"consistent","automatic":true,"includedPaths":[],)"
              R"("excludedPaths":[{"path":"/*"},{"path":"/a/?"},{"path":"/\"_etag\"/?"}]})");
    for (const char* list : {R"("excludedPaths":[{"path":"/\"_etag\"/?"},{"path":"/a/?"}])",
                             R"("excludedPaths":[{"path":"/_etag/*"}])"}) {
        EXPECT_THAT(
            shown(Form::kCurrent, std::string(R"({"includedPaths":[{"path":"/*"}],)") + list + "}"),
            HasSubstr(list));
    }
    EXPECT_THAT(shown(Form::kCurrent, R"({"includedPaths":[{"path":"/*"},{"path":"/_etag/?"}]})"),
                HasSubstr(R"("excludedPaths":[])"));
    EXPECT_THAT(shown(Form::kCurrent, R"({"indexingMode":"none"})"),
                HasSubstr(R"("excludedPaths":[])"));
    // Old clients get back what they sent.
    EXPECT_THAT(shown(Form::kLegacy, R"({"excludedPaths":[{"path":"/*"}]})", Form::kLegacy),
                HasSubstr(R"("excludedPaths":[{"path":"/*"}])"));
}

TEST(IndexingPolicy, OnlyOldClientsSeeKindsOfIndex) {
    const char* given =
        R"({"includedPaths":[{"path":"/","indexes":[{"kind":"Hash","dataType":"Number","precision":2}]},)"
        R"({"path":"/a/?","indexes":[{"kind":"Range","dataType":"String"}]}]})";
    for (const Form sent_in : {Form::kCurrent, Form::kLegacy}) {
        EXPECT_THAT(shown(Form::kCurrent, given, sent_in),
                    HasSubstr(R"("includedPaths":[{"path":"/"},{"path":"/a/?"}])"));
        EXPECT_THAT(shown(Form::kLegacy, given, sent_in),
                    HasSubstr(R"("includedPaths":[{"path":"/","indexes":[)"
                              R"({"kind":"Hash","dataType":"Number","precision":2},)"
                              R"({"kind":"Hash","dataType":"String","precision":3}]},)"
                              R"({"path":"/a/?","indexes":[{"kind":"Range","dataType":"String"},)"
                              R"({"kind":"Range","dataType":"Number","precision":-1}]}])"));
    }
    EXPECT_THAT(shown(Form::kLegacy, R"({"includedPaths":[{"path":"/*","indexes":5}]})"),
                HasSubstr(R"("indexes":[{"kind":"Range")"));
}

TEST(IndexingPolicy, LazyIsConsistentButForOldClients) {
    for (const char* given : {R"({"indexingMode":"lazy"})", R"({"indexingMode":"Lazy"})"}) {
        EXPECT_EQ(completed(given), kDefault);
        EXPECT_THAT(completed(given, Form::kLegacy), HasSubstr(R"("indexingMode":"lazy")"));
        EXPECT_THAT(shown(Form::kLegacy, given, Form::kLegacy), HasSubstr(R"("lazy")"));
        EXPECT_EQ(shown(Form::kCurrent, given, Form::kLegacy), kDefaultShown);
    }
}

TEST(IndexingPolicy, AnIndexIsAutomaticButForOldClients) {
    EXPECT_EQ(completed(R"({"automatic":false})"), kDefault);
    EXPECT_EQ(completed(R"({"automatic":false,"indexingMode":"lazy"})"), kDefault);
    EXPECT_THAT(completed(R"({"automatic":false})", Form::kLegacy),
                HasSubstr(R"("automatic":false)"));
    EXPECT_THAT(shown(Form::kCurrent, R"({"automatic":false})", Form::kLegacy),
                HasSubstr(R"("automatic":false)"));
}

TEST(IndexingPolicy, ModeNoneListsNoPaths) {
    EXPECT_EQ(completed(R"({"indexingMode":"none"})"),
              R"({"indexingMode":"none","automatic":false,"includedPaths":[],"excludedPaths":[]})");
    EXPECT_EQ(completed(R"({"indexingMode":"None","automatic":true})"),
              R"({"indexingMode":"none","automatic":true,"includedPaths":[],"excludedPaths":[]})");
}

TEST(IndexingPolicy, GivenPathsAreKept) {
    EXPECT_EQ(
        completed(R"({"includedPaths":[{"path":"/a/?","indexes":[{"kind":)"
                  R"("Range","dataType":"Number","precision":-1}]},{"path":"/\"b c\"/[]/*"}],)"
                  R"("excludedPaths":[{"path":"/*"}]})"),
        R"({"indexingMode":"consistent","automatic":true,"includedPaths":[{"path":"/a/?",)"
        R"("indexes":[{"kind":"Range","dataType":"Number","precision":-1}]},)"
        R"({"path":"/\"b c\"/[]/*"}],"excludedPaths":[{"path":"/*"}]})");
}

TEST(IndexingPolicy, OneListAloneDoesNotFillInTheOther) {
    EXPECT_EQ(completed(R"({"excludedPaths":[{"path":"/*"}]})"),
              R"({"indexingMode":"consistent","automatic":true,"includedPaths":[],)"
              R"("excludedPaths":[{"path":"/*"}]})");
    EXPECT_EQ(completed(R"({"includedPaths":[{"path":"/*"},{"path":"/a/?"}]})"),
              R"({"indexingMode":"consistent","automatic":true,"includedPaths":[{"path":"/*"},)"
              R"({"path":"/a/?"}],"excludedPaths":[]})");
    EXPECT_EQ(completed(R"({"includedPaths":[],"excludedPaths":[]})"), kDefault);
}

TEST(IndexingPolicy, TheRootMustBeInOneOfTheLists) {
    for (const char* given : {R"({"includedPaths":[{"path":"/a/?"}]})",
                              R"({"excludedPaths":[{"path":"/a/*"}]})",
                              R"({"includedPaths":[{"path":"/a/*"}],"excludedPaths":[]})"}) {
        EXPECT_THAT(refused(given), HasSubstr("special mandatory indexing path")) << given;
    }
}

TEST(IndexingPolicy, ASlashIsTheRootAndIsKept) {
    EXPECT_EQ(completed(R"({"includedPaths":[{"path":"/"}]})"),
              R"({"indexingMode":"consistent","automatic":true,"includedPaths":[{"path":"/"}],)"
              R"("excludedPaths":[]})");
    EXPECT_THAT(completed(R"({"includedPaths":[{"path":"/a/?"}],"excludedPaths":[{"path":"/"}]})"),
                HasSubstr(R"("excludedPaths":[{"path":"/"})"));
}

TEST(IndexingPolicy, CompletionIsIdempotent) {
    for (const char* given : {"{}",
                              R"({"indexingMode":"none"})",
                              R"({"automatic":false})",
                              R"({"includedPaths":[{"path":"/a/?"},{"path":"/*"}]})",
                              R"({"compositeIndexes":[[{"path":"/a"},{"path":"/b"}]]})"}) {
        for (const Form form : {Form::kCurrent, Form::kLegacy}) {
            const std::string once = completed(given, form);
            EXPECT_EQ(completed(once, Form::kLegacy), once) << given;
        }
    }
}

TEST(IndexingPolicy, BadShapesAreRefused) {
    EXPECT_THAT(refused("[]"), HasSubstr("must be an object"));
    EXPECT_THAT(refused("\"consistent\""), HasSubstr("must be an object"));
    EXPECT_THAT(refused(R"({"indexingMode":"eager"})"), HasSubstr("indexingMode"));
    EXPECT_THAT(refused(R"({"indexingMode":1})"), HasSubstr("indexingMode"));
    EXPECT_THAT(refused(R"({"automatic":"true"})"), HasSubstr("automatic"));
    EXPECT_THAT(refused(R"({"includedPaths":{}})"), HasSubstr("includedPaths must be an array"));
    EXPECT_THAT(refused(R"({"excludedPaths":"/*"})"), HasSubstr("excludedPaths must be an array"));
}

TEST(IndexingPolicy, BadPathsAreRefused) {
    for (const char* path : {R"({})",
                             R"("/a/?")",
                             R"({"path":1})",
                             R"({"path":""})",
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

}  // namespace indexing_policy_test
}  // namespace orrery::model
