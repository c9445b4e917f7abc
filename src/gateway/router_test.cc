#include "gateway/router.h"

#include <chrono>
#include <future>
#include <optional>

#include <gtest/gtest.h>

#include "gateway/test_support.h"

namespace orrery::gateway {
namespace router_test {

using testing_support::GatewayTest;
using testing_support::Headers;
using testing_support::Reply;

class RouterTest : public GatewayTest {
protected:
    std::shared_ptr<partition::Partition> partition() {
        const auto container = services_.catalog->all_containers().front();
        return services_.partitions->find(container->ranges[0].partition);
    }
    void close_partition() {
        services_.partitions->close_unused();  // forgets its use
        services_.partitions->close_unused();
        ASSERT_EQ(partition(), nullptr);
    }
};

TEST_F(RouterTest, AHandlerThatThrowsCostsItsRequestOnly) {
    const auto exchange = make_exchange("POST", "/dbs", {}, R"({"id":"d"})");
    exchange->body_throws = true;
    auto response = exchange->response();
    if (const auto admitted = gateway_.admit(exchange)) admitted->handle();
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(send("GET", "/dbs").status, 200U);
    }
}

TEST_F(RouterTest, AFullLaneAnswers429AndOthersGoOn) {
    make_container();
    std::promise<void> release;
    const auto released = release.get_future().share();
    // Until every thread waits: one that starts late makes room in the queue.
    PoolStats stats;
    do {
        while (lanes_.control.try_post([released] { released.wait(); })) {
        }
        stats = lanes_.control.stats();
    } while (stats.running < stats.threads || stats.queued < stats.queue_max);
    const auto refused = send("GET", "/dbs");
    EXPECT_EQ(refused.status, 429U);
    EXPECT_EQ(refused.header("x-ms-retry-after-ms"), "500");
    EXPECT_EQ(refused.header("x-ms-request-charge"), "0");
    EXPECT_EQ(create(R"({"id":"1","pk":"a"})").status, 201U);
    EXPECT_EQ(send("GET", "/dbs/d/colls/c/docs", keyed(R"(["a"])")).status, 200U);
    release.set_value();
}

TEST_F(RouterTest, ARequestThatWaitedTooLongIsNotBegun) {
    const Backend backend = make_backend("");
    const auto exchange = make_exchange("POST", "/dbs", {}, R"({"id":"late"})");
    auto response = exchange->response();
    const auto call = std::make_shared<Call>(exchange, "activity", *monitor_);
    call->path = *parse_resource_path("/dbs");
    find_route(*call);
    call->context.allowance.deadline =
        std::chrono::steady_clock::now() - std::chrono::milliseconds(1);
    dispatch(backend, call);
    const Reply reply(response.get());
    EXPECT_EQ(reply.status, 408U);
    EXPECT_EQ(reply.header("x-ms-request-charge"), "0");
    EXPECT_EQ(send("GET", "/dbs/late").status, 404U);
}

TEST_F(RouterTest, EveryRouteNamesTheRightItNeeds) {
    using auth::Action;
    const Headers query = {{"content-type", "application/query+json"}};
    const struct {
        const char* method;
        const char* target;
        Headers headers;
        std::optional<Action> action;
    } kCases[] = {
        {"GET", "/", {}, Action::kReadAccount},
        {"GET", "/dbs", {}, Action::kReadDatabase},
        {"HEAD", "/dbs", {}, Action::kReadDatabase},
        {"POST", "/dbs", {}, Action::kWriteDatabase},
        {"POST", "/dbs", query, Action::kReadDatabase},
        {"DELETE", "/dbs/d", {}, Action::kWriteDatabase},
        {"POST", "/dbs/d/colls", {}, Action::kWriteContainer},
        {"POST", "/dbs/d/colls", query, Action::kReadContainer},
        {"PUT", "/dbs/d/colls/c", {}, Action::kWriteContainer},
        {"GET", "/dbs/d/colls/c/pkranges", {}, Action::kReadRanges},
        {"GET", "/dbs/d/colls/c/docs", {}, Action::kReadFeed},
        {"POST", "/dbs/d/colls/c/docs", {}, Action::kCreateItem},
        {"POST", "/dbs/d/colls/c/docs", query, Action::kQueryItems},
        {"POST",
         "/dbs/d/colls/c/docs",
         {{"x-ms-cosmos-is-query-plan-request", "True"}},
         Action::kQueryItems},
        {"POST",
         "/dbs/d/colls/c/docs",
         {{"x-ms-documentdb-is-upsert", "true"}},
         Action::kUpsertItem},
        {"POST",
         "/dbs/d/colls/c/docs",
         {{"x-ms-cosmos-is-batch-request", "true"}},
         Action::kRunBatch},
        {"GET", "/dbs/d/colls/c/docs/1", {}, Action::kReadItem},
        {"PUT", "/dbs/d/colls/c/docs/1", {}, Action::kReplaceItem},
        {"PATCH", "/dbs/d/colls/c/docs/1", {}, Action::kReplaceItem},
        {"DELETE", "/dbs/d/colls/c/docs/1", {}, Action::kDeleteItem},
        {"POST", "/dbs/d/colls/c/operations/partitionkeydelete", {}, Action::kDeleteItem},
        {"POST", "/dbs/d/colls/c/sprocs", {}, Action::kWriteScript},
        {"POST", "/dbs/d/colls/c/sprocs", query, Action::kReadScript},
        {"POST", "/dbs/d/colls/c/sprocs/p", {}, Action::kExecuteProcedure},
        {"DELETE", "/dbs/d/colls/c/triggers/t", {}, Action::kWriteScript},
        {"GET", "/dbs/d/colls/c/udfs/f", {}, Action::kReadScript},
        {"GET", "/dbs/d/clientencryptionkeys/k", {}, Action::kReadClientKey},
        {"POST", "/dbs/d/clientencryptionkeys", {}, Action::kWriteClientKey},
        {"POST", "/dbs/d/clientencryptionkeys", query, Action::kReadClientKey},
        {"GET", "/dbs/d/colls/c/conflicts", {}, Action::kReadConflict},
        {"POST", "/dbs/d/colls/c/conflicts", query, Action::kReadConflict},
        {"DELETE", "/dbs/d/colls/c/conflicts/x", {}, Action::kDeleteConflict},
        {"POST", "/offers", query, Action::kReadOffer},
        {"PUT", "/offers/o", {}, Action::kWriteOffer},
        {"DELETE", "/dbs", {}, std::nullopt},
    };
    for (const auto& one : kCases) {
        Call call(make_exchange(one.method, one.target, one.headers), "activity", *monitor_);
        call.path = *parse_resource_path(one.target);
        find_route(call);
        EXPECT_EQ(call.action, one.action) << one.method << " " << one.target;
    }
}

TEST_F(RouterTest, FirstUseOfAPartitionLeavesTheReactor) {
    make_container();
    close_partition();
    EXPECT_EQ(send("GET", "/dbs/d/colls/c/docs/1", keyed(R"(["a"])")).outcome(), "404");
    EXPECT_NE(partition(), nullptr);
    close_partition();
    EXPECT_EQ(create(R"({"id":"1","pk":"a"})").status, 201U);
}

TEST_F(RouterTest, AWriteToAClosedPartitionGoesToItsSuccessor) {
    make_container();
    ASSERT_EQ(create(R"({"id":"1","pk":"a"})").status, 201U);
    partition()->close();
    EXPECT_EQ(create(R"({"id":"2","pk":"a"})").status, 201U);
    partition()->close();
    EXPECT_EQ(send("GET", "/dbs/d/colls/c/docs/2", keyed(R"(["a"])")).status, 200U);
}

TEST_F(RouterTest, AFencedPartitionIsTriedOnceMore) {
    make_container();
    ASSERT_EQ(create(R"({"id":"1","pk":"a"})").status, 201U);
    engine_.fence(partition()->identity().storage_id);
    EXPECT_EQ(create(R"({"id":"2","pk":"a"})").status, 503U);
    EXPECT_EQ(send("GET", "/dbs/d/colls/c/docs/1", keyed(R"(["a"])")).status, 200U);
}

TEST_F(RouterTest, AWriteToARemovedContainerIsNotFound) {
    make_container();
    ASSERT_EQ(create(R"({"id":"1","pk":"a"})").status, 201U);
    const auto held = partition();
    ASSERT_EQ(send("DELETE", "/dbs/d/colls/c").status, 204U);
    held->close();
    EXPECT_EQ(create(R"({"id":"2","pk":"a"})").outcome(), "404/1003");
}

}  // namespace router_test
}  // namespace orrery::gateway
