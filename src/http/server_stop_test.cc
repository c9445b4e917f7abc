// stop() lets exchanges in progress finish, and objects that outlive the server stay harmless.

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "http/server.h"
#include "http/test_client.h"
#include "http/test_handler.h"

namespace orrery::http {
namespace server_stop_test {

using namespace std::chrono_literals;

class ServerStopTest : public testing::Test {
protected:
    void SetUp() override {
        ServerOptions options;
        options.threads = 2;
        auto started = Server::start(options, handler_);
        ASSERT_TRUE(started);
        server_ = std::move(started).take();
    }

    TestHandler handler_;
    std::unique_ptr<Server> server_;
};

TEST_F(ServerStopTest, ClosesIdleConnectionsAndTheListener) {
    TestClient idle(server_->port());
    EXPECT_EQ(idle.request("GET / HTTP/1.1\r\n\r\n")->status, 200U);
    TestClient half(server_->port());
    half.send("GET / HTT");
    TestClient silent(server_->port());
    EXPECT_TRUE(server_->stop(10s));
    EXPECT_TRUE(idle.at_end());
    EXPECT_FALSE(half.receive());
    EXPECT_EQ(server_->stats().connections, 0U);
    EXPECT_FALSE(TestClient(server_->port()).connected());
    EXPECT_TRUE(server_->stop(10s));
}

TEST_F(ServerStopTest, ClosesConnectionsWhoseBodyIsMissing) {
    TestClient admitted(server_->port());
    const std::string head = "POST / HTTP/1.1\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n";
    EXPECT_EQ(admitted.request(head)->status, 100U);
    TestClient refused(server_->port());
    EXPECT_EQ(refused.request("POST /stranger HTTP/1.1\r\nContent-Length: 9\r\n\r\n")->status,
              401U);
    EXPECT_TRUE(server_->stop(10s));
    EXPECT_FALSE(admitted.receive());
    EXPECT_FALSE(refused.receive());
    EXPECT_EQ(server_->stats().connections, 0U);
}

TEST_F(ServerStopTest, WaitsForExchangesInProgress) {
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 8; ++i) {
        clients.push_back(std::make_unique<TestClient>(server_->port()));
        clients.back()->send("GET /hold HTTP/1.1\r\n\r\n");
    }
    const auto held = handler_.take_held(8);
    ASSERT_EQ(held.size(), 8U);
    auto stopped = std::async(std::launch::async, [&] { return server_->stop(60s); });
    for (const auto& exchange : held) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        exchange->respond(TestHandler::echo(*exchange));
    }
    EXPECT_TRUE(stopped.get());
    for (const auto& client : clients) {
        const auto response = client->receive();
        ASSERT_TRUE(response);
        EXPECT_EQ(response->body, "GET /hold 0 ");
        EXPECT_EQ(response->header("Connection"), "close");
    }
}

TEST_F(ServerStopTest, CutsOffSlowExchanges) {
    TestClient client(server_->port());
    client.send("GET /hold HTTP/1.1\r\nX-Ask: still here\r\n\r\n");
    const auto held = handler_.take_held(1);
    ASSERT_EQ(held.size(), 1U);
    EXPECT_FALSE(server_->stop(0s));
    EXPECT_FALSE(client.receive());
    server_.reset();
    // The exchange stays readable until it is answered, even after the server is destroyed.
    EXPECT_EQ(held[0]->header("x-ask"), "still here");
    held[0]->respond(Response{});
}

TEST_F(ServerStopTest, DoesNotWaitForStreams) {
    TestClient client(server_->port());
    client.send("GET /stream HTTP/1.1\r\n\r\n");
    ASSERT_TRUE(client.receive(true));
    EXPECT_TRUE(server_->stop(60s));
    EXPECT_EQ(client.rest(), "");
    EXPECT_EQ(handler_.streams(), 0);
}

TEST_F(ServerStopTest, ExchangesMayBeDroppedAfterTheServer) {
    TestClient client(server_->port());
    client.send("GET /hold HTTP/1.1\r\n\r\n");
    auto held = handler_.take_held(1);
    ASSERT_EQ(held.size(), 1U);
    server_.reset();
    held.clear();
}

TEST_F(ServerStopTest, MayBeCalledUnderLoad) {
    std::atomic<bool> over{false};
    const auto ask_until_over = [&over, port = server_->port()] {
        while (!over) {
            TestClient client(port);
            while (client.request("GET /later HTTP/1.1\r\n\r\n")) {
            }
        }
    };
    std::vector<std::thread> threads(8);
    for (std::thread& thread : threads) {
        thread = std::thread(ask_until_over);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_TRUE(server_->stop(10s));
    over = true;
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace server_stop_test
}  // namespace orrery::http
