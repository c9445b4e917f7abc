// Answers that are held back.

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/stopwatch.h"
#include "http/server.h"
#include "http/test_client.h"
#include "http/test_handler.h"

namespace orrery::http {
namespace server_delay_test {

constexpr const char* kDelayed = "GET /stranger/delay/400 HTTP/1.1\r\n\r\n";
constexpr const char* kVeryLong = "GET /stranger/delay/3600000 HTTP/1.1\r\n\r\n";
constexpr const char* kOther = "GET /other HTTP/1.1\r\n\r\n";

class ServerDelayTest : public testing::Test {
protected:
    void start(const Limits& limits = {}) {
        ServerOptions options;
        options.threads = 1;  // so that a blocked thread would be noticed
        options.limits = limits;
        server_ = std::move(Server::start(options, handler_)).take();
    }
    std::size_t delayed() const { return server_->stats().delayed; }
    bool delayed_become(std::size_t count) const {
        for (int i = 0; i < 1000 && delayed() != count; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return delayed() == count;
    }

    TestHandler handler_;
    std::unique_ptr<Server> server_;
};

TEST_F(ServerDelayTest, TheAnswerComesLateAndTheConnectionStays) {
    start();
    TestClient client(server_->port());
    const orrery::Timer timer;
    const auto answer = client.request(kDelayed);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 401U);
    EXPECT_GE(timer.elapsed(), std::chrono::milliseconds(400));
    EXPECT_EQ(delayed(), 0U);
    const auto next = client.request(kOther);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->status, 200U);
    ASSERT_TRUE(client.request(kDelayed)) << "the timer can be used again";
}

TEST_F(ServerDelayTest, OtherConnectionsAreServedMeanwhile) {
    start();
    std::vector<std::unique_ptr<TestClient>> held;
    for (int i = 0; i < 20; ++i) {
        held.push_back(std::make_unique<TestClient>(server_->port()));
        held.back()->send(kVeryLong);
    }
    EXPECT_TRUE(delayed_become(20));
    TestClient other(server_->port());
    ASSERT_TRUE(other.request(kOther));
}

TEST_F(ServerDelayTest, FurtherRequestsOfTheClientWaitForTheAnswer) {
    start();
    TestClient client(server_->port());
    client.send(std::string(kDelayed) + kOther);
    const auto first = client.receive();
    const auto second = client.receive();
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->status, 401U);
    EXPECT_EQ(second->status, 200U);
}

TEST_F(ServerDelayTest, AboveTheLimitAnswersComeAtOnceAndTheConnectionEnds) {
    Limits limits;
    limits.delayed_max = 2;
    start(limits);
    TestClient first(server_->port());
    TestClient second(server_->port());
    first.send(kVeryLong);
    second.send(kVeryLong);
    ASSERT_TRUE(delayed_become(2));
    TestClient third(server_->port());
    const auto answer = third.request(kVeryLong);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 401U);
    EXPECT_EQ(answer->header("Connection"), "close");
    EXPECT_EQ(delayed(), 2U);
}

TEST_F(ServerDelayTest, GivesWayToNewClients) {
    Limits limits;
    limits.connections_max = 2;
    start(limits);
    TestClient first(server_->port());
    TestClient second(server_->port());
    first.send(kVeryLong);
    second.send(kVeryLong);
    ASSERT_TRUE(delayed_become(2));
    TestClient third(server_->port());
    const auto answer = third.request(kOther);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200U);
    EXPECT_EQ(delayed(), 1U);
}

TEST_F(ServerDelayTest, AServerThatStopsDoesNotWait) {
    start();
    TestClient client(server_->port());
    client.send(kVeryLong);
    ASSERT_TRUE(delayed_become(1));
    EXPECT_TRUE(server_->stop(std::chrono::seconds(60)));
    const auto answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 401U);
    EXPECT_EQ(delayed(), 0U);
}

}  // namespace server_delay_test
}  // namespace orrery::http
