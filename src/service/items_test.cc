#include "service/items.h"

#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "service/test_support.h"

namespace orrery::service {
namespace items_test {

using testing::StartsWith;
using testing_support::Asked;
using testing_support::code_of;
using testing_support::ItemOutcome;
using testing_support::must;
using testing_support::ServiceTest;

Request keyed(std::string_view key) {
    Request request;
    request.partition_key = key;
    return request;
}

std::string json_of(const ItemAnswer& answer) { return answer.record.substr(answer.json_offset); }

class ItemsTest : public ServiceTest, public testing::WithParamInterface<std::uint32_t> {
protected:
    ItemOutcome read(const std::string& id, const Request& request) {
        Asked asked(request);
        auto answer = services_.items->read(asked, container_, {.id = id, .rid = {}});
        return {.answer = std::move(answer), .receipt = asked.context.receipt};
    }
    model::ItemRid rid_of(const ItemAnswer& answer) {
        const std::string text = testing_support::parsed(json_of(answer)).find("_rid")->string();
        return *model::ItemRid::parse(text);
    }

    catalog::ContainerPtr container_ = services_.container("{}", GetParam());
};

INSTANTIATE_TEST_SUITE_P(Partitions, ItemsTest, testing::Values(1, 7));

TEST_P(ItemsTest, CreateReadReplaceRemove) {
    const auto created = services_.create(container_, R"({"id":"1","pk":"a","n":1})");
    ASSERT_TRUE(created.answer);
    EXPECT_EQ(created.answer->kind, ItemAnswer::Kind::kCreated);
    EXPECT_THAT(json_of(*created.answer), StartsWith(R"({"id":"1","pk":"a","n":1,"_rid":")"));
    ASSERT_TRUE(created.receipt.position);
    EXPECT_EQ(created.receipt.position->lsn, 1);

    const auto found = read("1", keyed(R"(["a"])"));
    ASSERT_TRUE(found.answer);
    EXPECT_EQ(found.answer->kind, ItemAnswer::Kind::kRead);
    EXPECT_EQ(json_of(*found.answer), json_of(*created.answer));
    EXPECT_EQ(found.answer->etag, created.answer->etag);
    EXPECT_EQ(found.answer->item_lsn, 1);

    const auto replaced =
        services_.replace(container_, "1", R"({"id":"1","pk":"a","n":2})", keyed(R"(["a"])"));
    ASSERT_TRUE(replaced.answer);
    EXPECT_EQ(replaced.answer->kind, ItemAnswer::Kind::kReplaced);
    EXPECT_NE(replaced.answer->etag, created.answer->etag);

    const auto removed = services_.remove(container_, "1", keyed(R"(["a"])"));
    ASSERT_TRUE(removed.answer);
    EXPECT_EQ(removed.answer->kind, ItemAnswer::Kind::kRemoved);
    EXPECT_EQ(removed.receipt.position->lsn, 3);
    EXPECT_EQ(code_of(read("1", keyed(R"(["a"])")).answer), "404");
    EXPECT_EQ(services_.problems(), "");
}

TEST_P(ItemsTest, UpsertReportsWhetherItCreated) {
    const auto first = services_.upsert(container_, R"({"id":"1","pk":"a"})");
    const auto second = services_.upsert(container_, R"({"id":"1","pk":"a"})");
    EXPECT_EQ(first.answer->kind, ItemAnswer::Kind::kCreated);
    EXPECT_EQ(second.answer->kind, ItemAnswer::Kind::kReplaced);
}

TEST_P(ItemsTest, IdsAreUniqueWithinAPartitionKey) {
    for (const char* body : {R"({"id":"0001","pk":"Marketing"})",
                             R"({"id":"0002","pk":"Marketing"})",
                             R"({"id":"0001","pk":"Sales"})",
                             R"({"id":"0001"})",
                             R"({"id":"0001","pk":null})",
                             R"({"id":"0001","pk":1})"}) {
        EXPECT_EQ(code_of(services_.create(container_, body).answer), "ok") << body;
        EXPECT_EQ(code_of(services_.create(container_, body).answer), "409") << body;
    }
    EXPECT_EQ(must(services_.items->usage(*container_)).item_count, 6U);
}

TEST_P(ItemsTest, FailuresCarryThePositionOnceThePartitionIsKnown) {
    ASSERT_TRUE(services_.create(container_, R"({"id":"1","pk":"a"})").answer);
    EXPECT_TRUE(services_.create(container_, R"({"id":"1","pk":"a"})").receipt.position);
    EXPECT_TRUE(read("nobody", keyed(R"(["a"])")).receipt.position);
    EXPECT_TRUE(services_.remove(container_, "nobody", keyed(R"(["a"])")).receipt.position);
    EXPECT_FALSE(services_.create(container_, "nonsense").receipt.position);
    EXPECT_FALSE(read("1", {}).receipt.position);
}

TEST_P(ItemsTest, HeaderMustAgreeWithBody) {
    EXPECT_EQ(
        code_of(services_.create(container_, R"({"id":"1","pk":"a"})", keyed(R"(["b"])")).answer),
        "400/1001");
    EXPECT_EQ(
        code_of(services_.create(container_, R"({"id":"1","pk":"a"})", keyed(R"(["a"])")).answer),
        "ok");
    EXPECT_EQ(code_of(services_.create(container_, R"({"id":"2"})", keyed("[{}]")).answer), "ok");
    EXPECT_EQ(code_of(services_.create(container_, R"({"id":"3"})", keyed("[null]")).answer),
              "400/1001");
    EXPECT_EQ(
        code_of(
            services_.replace(container_, "1", R"({"id":"1","pk":"b"})", keyed(R"(["a"])")).answer),
        "400/1001");
    EXPECT_EQ(
        code_of(
            services_.replace(container_, "1", R"({"id":"1","pk":"b"})", keyed(R"(["b"])")).answer),
        "404");
}

TEST_P(ItemsTest, PointOperationsRequireThePartitionKey) {
    ASSERT_TRUE(services_.create(container_, R"({"id":"1","pk":"a"})").answer);
    EXPECT_EQ(code_of(read("1", {}).answer), "400");
    EXPECT_EQ(code_of(services_.remove(container_, "1", {}).answer), "400");
    EXPECT_EQ(code_of(services_.replace(container_, "1", R"({"id":"1","pk":"a"})", {}).answer),
              "400");
    EXPECT_EQ(code_of(read("1", keyed("nonsense")).answer), "400");
    EXPECT_EQ(code_of(read("1", keyed(R"(["b"])")).answer), "404");
}

TEST_P(ItemsTest, EtagsOfReadsAndWrites) {
    const auto created = services_.create(container_, R"({"id":"1","pk":"a"})");
    Request request = keyed(R"(["a"])");
    request.if_none_match = created.answer->etag;
    EXPECT_EQ(read("1", request).answer->kind, ItemAnswer::Kind::kNotModified);
    request.if_none_match = "\"other\"";
    EXPECT_EQ(read("1", request).answer->kind, ItemAnswer::Kind::kRead);
    request.if_none_match.reset();
    request.if_match = "\"other\"";
    EXPECT_EQ(code_of(services_.replace(container_, "1", R"({"id":"1","pk":"a"})", request).answer),
              "412");
    EXPECT_EQ(code_of(services_.upsert(container_, R"({"id":"1","pk":"a"})", request).answer),
              "412");
    EXPECT_EQ(code_of(services_.remove(container_, "1", request).answer), "412");
    EXPECT_EQ(code_of(services_.upsert(container_, R"({"id":"2","pk":"a"})", request).answer),
              "ok");
    request.if_match = created.answer->etag;
    EXPECT_EQ(code_of(services_.remove(container_, "1", request).answer), "ok");
}

TEST_P(ItemsTest, AddressedByRid) {
    const auto created = services_.create(container_, R"({"id":"1","pk":"a"})");
    const ItemAddress address{.id = {}, .rid = rid_of(*created.answer)};
    EXPECT_TRUE(services_.items->read(Asked(keyed(R"(["a"])")), container_, address));
    EXPECT_EQ(code_of(services_.items->read(Asked(keyed(R"(["b"])")), container_, address)), "404");
    const auto without_key = services_.items->read(Asked(), container_, address);
    EXPECT_EQ(code_of(without_key), GetParam() == 1 ? "ok" : "400");
    ItemAddress foreign = address;
    foreign.rid->container.number += 1;
    EXPECT_EQ(code_of(services_.items->read(Asked(keyed(R"(["a"])")), container_, foreign)), "404");
}

TEST_P(ItemsTest, RefusesBadBodies) {
    EXPECT_EQ(code_of(services_.create(container_, "").answer), "400");
    EXPECT_EQ(code_of(services_.create(container_, "[]").answer), "400");
    EXPECT_EQ(code_of(services_.create(container_, R"({"pk":"a"})").answer), "400");
    EXPECT_EQ(code_of(services_.create(container_, R"({"id":"1","ttl":0})").answer), "400");
    const std::string large = R"({"id":"1","x":")" + std::string(2U << 20, 'x') + "\"}";
    EXPECT_EQ(code_of(services_.create(container_, large).answer), "413");
    EXPECT_EQ(must(services_.items->usage(*container_)).item_count, 0U);
}

TEST_P(ItemsTest, ChecksTheIntendedContainer) {
    Request request = keyed(R"(["a"])");
    request.intended_container_rid = "AQAAAIAAAAk=";
    EXPECT_EQ(code_of(services_.create(container_, R"({"id":"1","pk":"a"})", request).answer),
              "400/1024");
    EXPECT_EQ(code_of(read("1", request).answer), "400/1024");
    EXPECT_EQ(code_of(services_.remove(container_, "1", request).answer), "400/1024");
}

TEST_P(ItemsTest, RefusesSessionsAheadOfThePartition) {
    ASSERT_TRUE(services_.create(container_, R"({"id":"1","pk":"a"})").answer);
    const auto position = *read("1", keyed(R"(["a"])")).receipt.position;
    Request request = keyed(R"(["a"])");
    const std::string seen =
        std::to_string(position.range_id) + ":-1#" + std::to_string(position.lsn);
    request.session_token = seen;
    EXPECT_EQ(code_of(read("1", request).answer), "ok");
    const std::string ahead = std::to_string(position.range_id) + ":-1#99";
    request.session_token = ahead;
    EXPECT_EQ(code_of(read("1", request).answer), "404/1002");
}

TEST_P(ItemsTest, UsageSumsAllRanges) {
    std::uint64_t bytes = 0;
    for (int i = 0; i < 30; ++i) {
        const auto created =
            services_.create(container_, R"({"id":"1","pk":")" + std::to_string(i) + "\"}");
        bytes += json_of(*created.answer).size();
    }
    const ContainerUsage usage = must(services_.items->usage(*container_));
    EXPECT_EQ(usage.item_count, 30U);
    EXPECT_EQ(usage.item_bytes, bytes);
}

TEST_P(ItemsTest, ExpiredItemsAreInvisible) {
    const auto aging = services_.container(R"({"id":"aging","defaultTtl":10})", GetParam());
    ASSERT_TRUE(services_.create(aging, R"({"id":"1","pk":"a"})").answer);
    clock_.advance(std::chrono::seconds(10));
    const ItemAddress address{.id = "1", .rid = {}};
    EXPECT_EQ(code_of(services_.items->read(Asked(keyed(R"(["a"])")), aging, address)), "404");
    EXPECT_EQ(code_of(services_.remove(aging, "1", keyed(R"(["a"])")).answer), "404");
    EXPECT_EQ(code_of(services_.create(aging, R"({"id":"1","pk":"a"})").answer), "ok");
}

}  // namespace items_test
}  // namespace orrery::service
