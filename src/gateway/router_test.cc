#include "gateway/router.h"

#include <future>

#include <gtest/gtest.h>

#include "gateway/test_support.h"

namespace orrery::gateway {
namespace {

using testing_support::GatewayTest;

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
    while (lanes_.control.try_post([released] { released.wait(); })) {
    }
    const auto refused = send("GET", "/dbs");
    EXPECT_EQ(refused.status, 429U);
    EXPECT_TRUE(refused.header("x-ms-retry-after-ms"));
    EXPECT_EQ(create(R"({"id":"1","pk":"a"})").status, 201U);
    EXPECT_EQ(send("GET", "/dbs/d/colls/c/docs", keyed(R"(["a"])")).status, 200U);
    release.set_value();
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

}  // namespace
}  // namespace orrery::gateway
