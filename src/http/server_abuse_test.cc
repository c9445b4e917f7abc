// What badly behaved clients get, and that they leak no resources.

#include <chrono>
#include <gmock/gmock.h>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "http/server.h"
#include "http/test_client.h"
#include "http/test_handler.h"
#include "http/test_identity.h"

namespace orrery::http {
namespace server_abuse_test {

using namespace std::chrono_literals;
using testing::StartsWith;

class ServerAbuseTest : public testing::Test {
protected:
    void start(const Limits& limits) {
        ServerOptions options;
        options.threads = 2;
        options.limits = limits;
        const SystemClock clock;
        options.tls = test_identity(clock.now_seconds());
        auto started = Server::start(options, handler_);
        ASSERT_TRUE(started) << started.error().message();
        server_ = std::move(started).take();
    }

    std::uint16_t port() const { return server_->port(); }

    void expect_alive() {
        TestClient client(port());
        const auto response = client.request("GET / HTTP/1.1\r\n\r\n");
        ASSERT_TRUE(response);
        EXPECT_EQ(response->status, 200U);
    }

    void expect_refused(const std::string& request, unsigned status) {
        TestClient client(port());
        const auto response = client.request(request);
        ASSERT_TRUE(response) << request.substr(0, 80);
        EXPECT_EQ(response->status, status) << request.substr(0, 80);
        EXPECT_THAT(response->body, StartsWith("refused: "));
        EXPECT_EQ(response->header("Connection"), "close");
        EXPECT_TRUE(client.at_end());
    }

    void wait_until_no_connection_is_left() {
        for (int i = 0; i < 1000 && server_->stats().connections > 0; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        EXPECT_EQ(server_->stats().connections, 0U);
    }

    TestHandler handler_;
    std::unique_ptr<Server> server_;
};

TEST_F(ServerAbuseTest, MalformedRequestsAreRefused) {
    start({});
    for (const char* request :
         {"garbage\r\n\r\n",
          "GET\r\n\r\n",
          "GET / HTTP/2.0\r\n\r\n",
          "GET / HTTP/1.1\nHost: h\n\n",
          "\x01\x02\x03\x04",
          "GET / HTTP/1.1\r\nno colon\r\n\r\n",
          "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
          "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
          "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
          "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
          "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
          "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
          "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"}) {
        expect_refused(request, 400);
    }
    expect_alive();
}

TEST_F(ServerAbuseTest, RefusalFollowsAnswersToEarlierRequests) {
    start({});
    TestClient client(port());
    client.send("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\nbad\r\n\r\nGET /c HTTP/1.1\r\n\r\n");
    EXPECT_EQ(client.receive()->body, "GET /a 0 ");
    EXPECT_EQ(client.receive()->body, "GET /b 0 ");
    EXPECT_EQ(client.receive()->status, 400U);
    EXPECT_TRUE(client.at_end());
}

TEST_F(ServerAbuseTest, LargeHeadsAreRefused) {
    Limits limits;
    limits.head_bytes_max = 8000;
    start(limits);
    expect_refused("GET /" + std::string(9000, 'x') + " HTTP/1.1\r\n\r\n", 431);
    expect_refused("GET / HTTP/1.1\r\nA: " + std::string(200'000, 'x') + "\r\n\r\n", 431);
    expect_refused("GET / HTTP/1.1\r\nA: " + std::string(200'000, 'x'), 431);
    std::string many = "GET / HTTP/1.1\r\n";
    for (int i = 0; i < 2000; ++i) {
        many += "A: b\r\n";
    }
    expect_refused(many + "\r\n", 431);
    // In pieces, each below the limit.
    TestClient client(port());
    client.send("GET / HTTP/1.1\r\n");
    for (int i = 0; i < 20 && client.send("A: " + std::string(1000, 'x') + "\r\n"); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const auto response = client.receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 431U);
    expect_alive();
}

TEST_F(ServerAbuseTest, EndlessChunkHeadersAndTrailersAreRefused) {
    start({});
    const std::string head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    expect_refused(head + "5;" + std::string(300'000, 'e'), 400);
    expect_refused(head + "0\r\nA: " + std::string(300'000, 't'), 400);
    expect_alive();
}

TEST_F(ServerAbuseTest, ExcessiveBodiesAreAnsweredAtOnce) {
    Limits limits;
    limits.body_bytes_max = 1000;
    limits.body_bytes_drained_max = 10'000;
    start(limits);
    TestClient declared(port());
    const auto at_once = declared.request("POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\nabc");
    ASSERT_TRUE(at_once);
    EXPECT_EQ(at_once->status, 413U);
    EXPECT_TRUE(declared.at_end());

    TestClient chunked(port());
    const auto late =
        chunked.request("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n" +
                        std::string(100'000, 'b'));
    ASSERT_TRUE(late);
    EXPECT_EQ(late->status, 413U);
    EXPECT_TRUE(chunked.at_end());
}

TEST_F(ServerAbuseTest, SlowRequestsTimeOut) {
    Limits limits;
    limits.head_timeout = 1s;
    limits.body_timeout = 1s;
    start(limits);
    TestClient slow_head(port());
    slow_head.send("GET / HTTP/1.1\r\nHost");
    TestClient slow_body(port());
    slow_body.send("POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nhalf");
    TestClient slow_hello(port());
    slow_hello.send("\x16\x03\x01");
    for (TestClient* client : {&slow_head, &slow_body}) {
        const auto response = client->receive();
        ASSERT_TRUE(response);
        EXPECT_EQ(response->status, 408U);
        EXPECT_TRUE(client->at_end());
        client->abort();
    }
    EXPECT_TRUE(slow_hello.at_end());
    wait_until_no_connection_is_left();
}

TEST_F(ServerAbuseTest, IdleConnectionsAreClosedSilently) {
    Limits limits;
    limits.idle_timeout = 1s;
    start(limits);
    TestClient silent(port());
    TestClient once(port());
    EXPECT_EQ(once.request("GET / HTTP/1.1\r\n\r\n")->status, 200U);
    TestClient tls(port(), TestClient::Security::kTls);
    EXPECT_EQ(tls.request("GET / HTTP/1.1\r\n\r\n")->status, 200U);
    EXPECT_TRUE(silent.at_end());
    EXPECT_TRUE(once.at_end());
    EXPECT_FALSE(tls.receive());
}

TEST_F(ServerAbuseTest, ClientsThatDoNotReadAreClosed) {
    Limits limits;
    limits.write_timeout = 1s;
    start(limits);
    TestClient client(port());
    EXPECT_EQ(client.request("GET / HTTP/1.1\r\n\r\n")->status, 200U);
    client.send("GET /size/100000000 HTTP/1.1\r\n\r\n");
    wait_until_no_connection_is_left();
    EXPECT_FALSE(client.receive());
}

TEST_F(ServerAbuseTest, AbortedConnectionsLeakNothing) {
    start({});
    for (const char* part : {"",
                             "GET",
                             "GET / HTTP/1.1\r\nA: b\r\n",
                             "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab",
                             "GET /size/9999999 HTTP/1.1\r\n\r\n",
                             "GET /later HTTP/1.1\r\n\r\n",
                             "\x16\x03\x01"}) {
        TestClient closing(port());
        closing.send(part);
        TestClient aborting(port());
        aborting.send(part);
        aborting.abort();
        TestClient tls(port(), TestClient::Security::kTls);
        tls.send(part);
        tls.abort();
    }
    wait_until_no_connection_is_left();
    expect_alive();
}

TEST_F(ServerAbuseTest, HalfClosedClientGetsItsAnswer) {
    start({});
    TestClient client(port());
    client.send("GET /later HTTP/1.1\r\n\r\n");
    client.finish_sending();
    EXPECT_EQ(client.receive()->body, "GET /later 0 ");
    EXPECT_TRUE(client.at_end());
}

TEST_F(ServerAbuseTest, RespondingToAClosedConnectionIsHarmless) {
    start({});
    {
        TestClient client(port());
        client.send("GET /hold HTTP/1.1\r\n\r\n");
        const auto held = handler_.take_held(1);
        ASSERT_EQ(held.size(), 1U);
        client.abort();
        held[0]->respond(Response{});
        held[0]->respond(Response{});
    }
    wait_until_no_connection_is_left();
    expect_alive();
}

TEST_F(ServerAbuseTest, ConnectionsAboveTheLimitAreRefused) {
    Limits limits;
    limits.connections_max = 3;
    start(limits);
    // Busy, because idle clients give way to new ones.
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 3; ++i) {
        clients.push_back(std::make_unique<TestClient>(port()));
        clients.back()->send("GET /hold HTTP/1.1\r\n\r\n");
    }
    auto held = handler_.take_held(3);
    ASSERT_EQ(held.size(), 3U);
    expect_refused("GET / HTTP/1.1\r\n\r\n", 503);
    TestClient silent(port());
    EXPECT_TRUE(silent.at_end());
    EXPECT_FALSE(TestClient(port(), TestClient::Security::kTls).connected());
    for (const auto& exchange : held) {
        exchange->respond(TestHandler::echo(*exchange));
    }
    held.clear();
    EXPECT_EQ(clients[0]->receive()->body, "GET /hold 0 ");
    clients.clear();
    wait_until_no_connection_is_left();
    expect_alive();
}

class BodyMemoryTest : public ServerAbuseTest {
protected:
    void SetUp() override {
        Limits limits;
        limits.body_bytes_together_max = 200'000;
        start(limits);
    }
    static std::string post(const std::string& target, std::size_t length) {
        return "POST " + target + " HTTP/1.1\r\nContent-Length: " + std::to_string(length) +
               "\r\n\r\n";
    }
    static std::string chunked(const std::string& body) {
        std::ostringstream size;
        size << std::hex << body.size();
        return "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + size.str() + "\r\n" +
               body + "\r\n";
    }
    void expect_served(const std::string& request) {
        TestClient client(port());
        const auto response = client.request(request);
        ASSERT_TRUE(response);
        EXPECT_EQ(response->status, 200U);
    }
    // Memory is taken shortly after the client has sent, and freed shortly after it disconnects.
    bool is_soon(unsigned status, int tries) {
        for (int i = 0; i < tries; ++i) {
            TestClient client(port());
            const auto response = client.request(large_);
            if (response && response->status == status) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }
    void expect_soon(unsigned status) {
        EXPECT_TRUE(is_soon(status, 1000)) << "no large body was answered with " << status;
    }
    void expect_held_until_gone(const std::string& unfinished) {
        // The first large body may arrive before this one, which is then refused instead.
        for (int i = 0; i < 20; ++i) {
            TestClient client(port());
            client.send(unfinished);
            const bool held = is_soon(503, 50);
            client.abort();
            expect_soon(200);
            if (held) return;
        }
        ADD_FAILURE() << "an unfinished body never held memory";
    }

    const std::string body_ = std::string(110'000, 'b');
    const std::string large_ = post("/", body_.size()) + body_;
};

TEST_F(BodyMemoryTest, IsBoundedWhileRequestsAreHandled) {
    TestClient client(port());
    client.send(post("/hold", body_.size()) + body_);
    auto held = handler_.take_held(1);
    ASSERT_EQ(held.size(), 1U);
    expect_refused(large_, 503);
    expect_refused(chunked(body_) + "0\r\n\r\n", 503);
    expect_served(post("/", 1000) + std::string(1000, 'b'));
    expect_alive();
    held[0]->respond(TestHandler::echo(*held[0]));
    held.clear();
    EXPECT_EQ(client.receive()->status, 200U);
    // First on the connection that held the memory: it is freed before the next read.
    EXPECT_EQ(client.request(large_)->status, 200U);
    expect_soon(200);
}

TEST_F(BodyMemoryTest, IsBoundedWhileABodyArrives) {
    expect_held_until_gone(post("/", 1'000'000) + body_);
}

TEST_F(BodyMemoryTest, IsBoundedWhileChunksArrive) { expect_held_until_gone(chunked(body_)); }

TEST_F(BodyMemoryTest, IsNotTakenByADeclaredLength) {
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 20; ++i) {
        clients.push_back(std::make_unique<TestClient>(port()));
        clients.back()->send(post("/", 1'000'000) + "b");
    }
    expect_served(large_);
}

TEST_F(BodyMemoryTest, IsNotTakenByOversizedBodies) {
    TestClient client(port());
    client.send(post("/", 10'000'000) + body_);
    expect_served(large_);
    client.send(std::string(10'000'000 - body_.size(), 'b'));
    EXPECT_EQ(client.receive()->status, 413U);
}

TEST_F(ServerAbuseTest, RandomBytesAreHarmless) {
    Limits limits;
    limits.head_timeout = 1s;
    limits.body_timeout = 1s;
    start(limits);
    SeededRandom random(20251115);
    const std::string good =
        "POST /x HTTP/1.1\r\nX-Ask: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    for (int round = 0; round < 500; ++round) {
        TestClient client(port());
        if (round % 2 == 0) {
            client.send(random.bytes(1 + static_cast<std::size_t>(round)));
        } else {
            std::string spoilt = good;
            for (int i = 0; i < 3; ++i) {
                const std::string at = random.bytes(2);
                spoilt[static_cast<unsigned char>(at[0]) % spoilt.size()] = at[1];
            }
            client.send(spoilt);
        }
        client.abort();
    }
    wait_until_no_connection_is_left();
    EXPECT_EQ(server_->stats().handler_exceptions, 0U);
    expect_alive();
}

TEST_F(ServerAbuseTest, TlsWithoutACertificateIsClosed) {
    TestHandler handler;
    const auto plain_only = Server::start({}, handler);
    ASSERT_TRUE(plain_only);
    TestClient client((*plain_only)->port(), TestClient::Security::kTls);
    EXPECT_FALSE(client.connected());
}

}  // namespace server_abuse_test
}  // namespace orrery::http
