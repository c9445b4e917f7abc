#include "service/item_patch.h"

#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "model/limits.h"
#include "service/test_support.h"

namespace orrery::service {
namespace item_patch_test {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::code_of;
using testing_support::ItemOutcome;
using testing_support::ServiceTest;

class ItemPatchTest : public ServiceTest {
protected:
    ItemOutcome patch(const std::string& id, std::string_view body, Request request = {}) {
        request.partition_key = R"(["a"])";
        return testing_support::Services::wait(
            request, [&](Context& context, const ItemCallback& done) {
                services_.items->patch(context, container_, {.id = id, .rid = {}}, body, done);
            });
    }
    ItemOutcome patch_if(const std::string& condition) {
        return patch("1",
                     R"({"operations":[{"op":"incr","path":"/n","value":1}],"condition":)" +
                         json::quote(condition) + "}");
    }
    static std::string json_of(const ItemOutcome& outcome) {
        if (!outcome.answer) return outcome.answer.error().message();
        return outcome.answer->record.substr(outcome.answer->json_offset);
    }

    catalog::ContainerPtr container_ = services_.container(
        R"({"computedProperties":[{"name":"twice","query":"SELECT VALUE c.n * 2 FROM c"}]})");
};

TEST_F(ItemPatchTest, WritesANewVersion) {
    const auto created = services_.create(container_, R"({"id":"1","pk":"a","n":1})");
    const auto patched = patch("1", R"([{"op":"incr","path":"/n","value":1}])");
    ASSERT_TRUE(patched.answer);
    EXPECT_EQ(patched.answer->kind, ItemAnswer::Kind::kReplaced);
    EXPECT_THAT(json_of(patched), StartsWith(R"({"id":"1","pk":"a","n":2,"_rid":")"));
    EXPECT_NE(patched.answer->etag, created.answer->etag);
    EXPECT_EQ(patched.receipt.position->lsn, 2);
    EXPECT_EQ(services_.problems(), "");
}

TEST_F(ItemPatchTest, NewMembersFollowSystemProperties) {
    ASSERT_TRUE(services_.create(container_, R"({"id":"1","pk":"a"})").answer);
    EXPECT_THAT(json_of(patch("1", R"([{"op":"add","path":"/x","value":[]}])")),
                AllOf(StartsWith(R"({"id":"1","pk":"a","_rid":")"), EndsWith(R"(,"x":[]})")));
}

TEST_F(ItemPatchTest, FailedPatchChangesNothing) {
    ASSERT_TRUE(services_.create(container_, R"({"id":"1","pk":"a","n":1})").answer);
    const auto refused =
        patch("1", R"([{"op":"set","path":"/n","value":2},{"op":"remove","path":"/x"}])");
    EXPECT_EQ(code_of(refused.answer), "400");
    EXPECT_EQ(refused.receipt.position->lsn, 1);
    EXPECT_EQ(code_of(patch("2", R"([{"op":"remove","path":"/x"}])").answer), "404");
}

TEST_F(ItemPatchTest, ResultMustBeAValidItem) {
    ASSERT_TRUE(services_.create(container_, R"({"id":"1","pk":"a","s":"x"})").answer);
    const std::string half(model::limits::kItemBytesMax / 2, 'x');
    const std::string grow = R"([{"op":"set","path":"/)";
    EXPECT_TRUE(patch("1", grow + R"(a","value":")" + half + "\"}]").answer);
    EXPECT_EQ(code_of(patch("1", grow + R"(b","value":")" + half + "\"}]").answer), "413");
    const auto nested = [](std::size_t levels) {
        return std::string(levels, '[') + std::string(levels, ']');
    };
    EXPECT_TRUE(patch("1", grow + R"(d","value":)" + nested(127) + "}]").answer);
    EXPECT_EQ(code_of(patch("1", grow + R"(e","value":)" + nested(128) + "}]").answer), "400");
}

TEST_F(ItemPatchTest, Conditions) {
    ASSERT_TRUE(services_.create(container_, R"({"id":"1","pk":"a","n":1,"t":["x"]})").answer);
    EXPECT_EQ(code_of(patch_if("from c where c.n = 1").answer), "ok");
    EXPECT_EQ(code_of(patch_if("from c where c.n = 1").answer), "412/1110");
    EXPECT_EQ(code_of(patch_if(" FROM root r WHERE r.pk = \"a\" AND r.twice = 4").answer), "ok");
    EXPECT_EQ(code_of(patch_if("from c").answer), "ok");
    EXPECT_EQ(code_of(patch_if("from c where EXISTS(SELECT VALUE t FROM t IN c.t)").answer), "ok");
    EXPECT_EQ(code_of(patch_if("from c where c.missing").answer), "412/1110");
    EXPECT_EQ(code_of(patch_if("where c.n = 1").answer), "400");
    EXPECT_EQ(code_of(patch_if("").answer), "400");
    EXPECT_EQ(code_of(patch_if("from c where nothing(c.n)").answer), "400");
    EXPECT_EQ(code_of(patch_if("from c where x.n = 1").answer), "400");
    EXPECT_EQ(code_of(patch_if("from c where udf.f(c.n)").answer), "400");
}

TEST_F(ItemPatchTest, ChecksEtagBeforeCondition) {
    ASSERT_TRUE(services_.create(container_, R"({"id":"1","pk":"a","n":1})").answer);
    Request stale;
    stale.if_match = "\"other\"";
    const auto refused = patch("1",
                               R"({"operations":[{"op":"set","path":"/n","value":2}],
                                   "condition":"from c where c.n = 2"})",
                               stale);
    EXPECT_EQ(code_of(refused.answer), "412");
    EXPECT_THAT(json_of(refused), HasSubstr("precondition"));
}

}  // namespace item_patch_test
}  // namespace orrery::service
