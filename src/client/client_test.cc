#include "client/client.h"

#include <arpa/inet.h>
#include <atomic>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "client/pages.h"
#include "client/test_server.h"

namespace orrery::client {
namespace client_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kThrottled = "x-ms-retry-after-ms: 1\r\nx-ms-request-charge: 0.5\r\n";

class ClientTest : public testing::Test {
protected:
    RetryPolicy patience() const {
        return {.total = std::chrono::seconds(60), .unreachable = std::chrono::milliseconds(0)};
    }

    const SystemClock clock_{};
    TestServer server_;
    Client client_{server_.account(), clock_, patience()};
    const Path items_ = container_path("d", "c") / "docs";
};

TEST_F(ClientTest, ReturnsAnyAnswer) {
    server_.answer(404, R"({"code":"NotFound","message":"Nothing here.\r\nActivityId: x"})");
    const auto response = client_.send({.path = items_});
    ASSERT_TRUE(response) << response.error().message();
    EXPECT_EQ(response->status, 404U);
    EXPECT_EQ(server_.received().front().target, "/dbs/d/colls/c/docs");
}

TEST_F(ClientTest, TurnsAnswersIntoErrors) {
    server_.answer(404,
                   R"({"code":"NotFound","message":"Nothing here.\r\nActivityId: x"})",
                   "x-ms-substatus: 1003\r\n");
    const auto response = client_.call({.path = items_});
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code(), ErrorCode::kNotFound);
    EXPECT_EQ(response.error().sub_status(), 1003U);
    EXPECT_EQ(response.error().message(), "Nothing here.");
    server_.answer(500, "no JSON");
    EXPECT_EQ(client_.call({.path = items_}).error().message(), "the server answered 500");
}

TEST_F(ClientTest, WaitsWhenThrottledAndAddsUpCharges) {
    server_.answer(429, "", kThrottled);
    server_.answer(429, "", kThrottled);
    server_.answer(201, "{}", "x-ms-request-charge: 6\r\n");
    const auto response = client_.call({.method = "POST", .path = items_, .body = "{}"});
    ASSERT_TRUE(response) << response.error().message();
    EXPECT_EQ(response->throttled, 2U);
    EXPECT_EQ(response->charge, 7);
    EXPECT_EQ(server_.received().size(), 3U);
    EXPECT_EQ(server_.received().back().body, "{}");
}

TEST_F(ClientTest, GivesUpWhenTheTimeIsOver) {
    Client client(server_.account(), clock_, {.total = std::chrono::milliseconds(100)});
    server_.answer(429, "", "x-ms-retry-after-ms: 100000\r\n");
    const auto response = client.send({.path = items_});
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 429U);
}

TEST_F(ClientTest, EndsWhenInterrupted) {
    const std::atomic<bool> interrupted = true;
    Client client(server_.account(), clock_, patience(), &interrupted);
    EXPECT_EQ(client.send({.path = items_}).error().message(), "interrupted");
    EXPECT_TRUE(server_.received().empty());
}

TEST_F(ClientTest, AbandonsARequestWhenInterrupted) {
    // Connections are made, but nobody accepts them.
    const int silent = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(::bind(silent, any, size), 0);
    ASSERT_EQ(::listen(silent, 1), 0);
    ASSERT_EQ(::getsockname(silent, any, &size), 0);
    Account account = server_.account();
    account.endpoint.port = ntohs(address.sin_port);
    std::atomic<bool> interrupted = false;
    Client client(account, clock_, {.abandon_when_interrupted = true}, &interrupted);
    std::thread user([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        interrupted = true;
    });
    EXPECT_EQ(client.send({.path = items_}).error().message(), "interrupted");
    user.join();
    ::close(silent);
}

TEST_F(ClientTest, CanBeUsedAfterAnInterruption) {
    std::atomic<bool> interrupted = true;
    Client client(server_.account(), clock_, {.abandon_when_interrupted = true}, &interrupted);
    EXPECT_FALSE(client.send({.path = items_}));
    interrupted = false;
    server_.answer(200, "{}");
    EXPECT_TRUE(client.send({.path = items_}));
}

TEST_F(ClientTest, SaysThatNobodyIsThere) {
    server_.stop();
    const auto response = client_.send({.path = items_});
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code(), ErrorCode::kUnavailable);
    EXPECT_THAT(response.error().message(), HasSubstr("cannot connect to 127.0.0.1:"));
}

TEST_F(ClientTest, WalksFeeds) {
    server_.answer(
        200, R"({"_rid":"","Documents":[{"id":"1"}],"_count":1})", "x-ms-continuation: next\r\n");
    server_.answer(200, R"({"_rid":"","Documents":[],"_count":0})");
    Pages pages(client_, items_, {.text = "SELECT * FROM c"});
    auto page = pages.next();
    ASSERT_TRUE(page && *page);
    EXPECT_THAT(*(*page)->elements(), ElementsAre(R"({"id":"1"})"));
    page = pages.next();
    ASSERT_TRUE(page && *page);
    EXPECT_THAT(*(*page)->elements(), IsEmpty());
    EXPECT_FALSE(*pages.next());
    ASSERT_EQ(server_.received().size(), 2U);
    EXPECT_EQ(server_.received()[0].body, R"({"query":"SELECT * FROM c","parameters":[]})");
    EXPECT_EQ(server_.received()[1].continuation, "next");
}

TEST_F(ClientTest, ReadsRanges) {
    server_.answer(200,
                   R"({"PartitionKeyRanges":[{"id":"0","minInclusive":"","maxExclusive":"7F"},)"
                   R"({"id":"1","minInclusive":"7F","maxExclusive":"FF"}]})");
    const auto ranges = read_ranges(client_, container_path("d", "c"));
    ASSERT_TRUE(ranges);
    EXPECT_THAT(*ranges, ElementsAre(Range{"0", "", "7F"}, Range{"1", "7F", "FF"}));
}

}  // namespace client_test
}  // namespace orrery::client
