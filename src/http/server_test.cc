// What a well-behaved client gets.

#include "http/server.h"

#include <chrono>
#include <gmock/gmock.h>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "http/open_files.h"
#include "http/test_client.h"
#include "http/test_handler.h"
#include "http/test_identity.h"

namespace orrery::http {
namespace server_test {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ServerTest : public testing::TestWithParam<TestClient::Security> {
protected:
    void SetUp() override { start({}); }

    void start(ServerOptions options) {
        server_.reset();
        const SystemClock clock;
        options.tls = test_identity(clock.now_seconds());
        options.threads = 2;
        auto started = Server::start(options, handler_);
        ASSERT_TRUE(started) << started.error().message();
        server_ = std::move(started).take();
    }

    std::uint16_t port() const { return server_->port(); }

    TestHandler handler_;
    std::unique_ptr<Server> server_;
};

INSTANTIATE_TEST_SUITE_P(Http,
                         ServerTest,
                         testing::Values(TestClient::Security::kPlain, TestClient::Security::kTls),
                         [](const auto& made) {
                             return made.param == TestClient::Security::kTls ? "Tls" : "Plain";
                         });

TEST_P(ServerTest, SendsStreamsPieceByPiece) {
    TestClient client(port(), GetParam());
    client.send("GET /stream/3 HTTP/1.1\r\nHost: h\r\n\r\n");
    const auto response = client.receive(true);
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 200U);
    EXPECT_EQ(response->header("Connection"), "close");
    EXPECT_THAT(response->head, Not(HasSubstr("Content-Length")));
    EXPECT_EQ(client.rest(), "piece 1;piece 2;piece 3;");
    EXPECT_EQ(handler_.streams(), 0);
}

TEST_P(ServerTest, StreamsHaveNoBodyForHead) {
    TestClient client(port(), GetParam());
    client.send("HEAD /stream/3 HTTP/1.1\r\nHost: h\r\n\r\n");
    ASSERT_TRUE(client.receive(true));
    EXPECT_EQ(client.rest(), "");
}

TEST_P(ServerTest, ReleasesTheStreamOfAClientThatLeaves) {
    const auto streams_become = [&](int count) {
        for (int i = 0; i < 1000 && handler_.streams() != count; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return handler_.streams() == count;
    };
    {
        TestClient client(port(), GetParam());
        client.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n");
        ASSERT_TRUE(client.receive(true));
        EXPECT_TRUE(streams_become(1));
        client.send("whatever it sends is ignored");
    }
    EXPECT_TRUE(streams_become(0));
}

TEST_P(ServerTest, ServesManyRequestsPerConnection) {
    TestClient client(port(), GetParam());
    for (int i = 0; i < 100; ++i) {
        const std::string path = "/item/" + std::to_string(i);
        const auto response =
            client.request("GET " + path + " HTTP/1.1\r\nHost: h\r\nx-aSK: v\r\n\r\n");
        ASSERT_TRUE(response);
        EXPECT_EQ(response->status, 200U);
        EXPECT_EQ(response->body, "GET " + path + " 0 ");
        EXPECT_EQ(response->header("x-echo"), "v");
        EXPECT_EQ(response->header("x-secure"),
                  GetParam() == TestClient::Security::kTls ? "yes" : "no");
    }
}

TEST_P(ServerTest, SendsRequiredHeaders) {
    TestClient client(port(), GetParam());
    const auto response = client.request("GET / HTTP/1.1\r\n\r\n");
    ASSERT_TRUE(response);
    EXPECT_THAT(response->head, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_EQ(response->header("Content-Length"), "8");
    EXPECT_EQ(response->header("Date").size(), 29U);
    EXPECT_THAT(response->head, Not(HasSubstr("Connection:")));
}

TEST_P(ServerTest, ReadsABodyByLength) {
    TestClient client(port(), GetParam());
    const auto response = client.request("POST /docs HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello");
    ASSERT_TRUE(response);
    EXPECT_EQ(response->body, "POST /docs 5 hello");
}

TEST_P(ServerTest, ReadsAChunkedBody) {
    TestClient client(port(), GetParam());
    for (int i = 0; i < 3; ++i) {
        const auto response = client.request(
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
            "5;a=b\r\nhello\r\n7\r\n, world\r\n0\r\nTrailer: x\r\n\r\n");
        ASSERT_TRUE(response);
        EXPECT_EQ(response->body, "POST / 12 hello, world");
    }
}

TEST_P(ServerTest, ReadsALargeBody) {
    TestClient client(port(), GetParam());
    const std::string body(2'000'000, 'b');
    const auto response =
        client.request("PUT / HTTP/1.1\r\nContent-Length: 2000000\r\n\r\n" + body);
    ASSERT_TRUE(response);
    EXPECT_THAT(response->body, StartsWith("PUT / 2000000 bbb"));
}

TEST_P(ServerTest, SendsALargeBodyToASlowReader) {
    TestClient client(port(), GetParam());
    client.send("GET /size/20000000 HTTP/1.1\r\n\r\nGET /next HTTP/1.1\r\n\r\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto large = client.receive();
    ASSERT_TRUE(large);
    EXPECT_EQ(large->body.size(), 20'000'000U);
    EXPECT_EQ(large->body.find_first_not_of('x'), std::string::npos);
    const auto next = client.receive();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->body, "GET /next 0 ");
}

TEST_P(ServerTest, AnswersPipelinedRequestsInOrder) {
    TestClient client(port(), GetParam());
    std::string requests;
    constexpr int kCount = 5000;
    for (int i = 0; i < kCount; ++i) {
        requests += "POST /" + std::to_string(i) + " HTTP/1.1\r\nContent-Length: 2\r\n\r\nok";
    }
    std::thread sender([&] { client.send(requests); });
    for (int i = 0; i < kCount; ++i) {
        const auto response = client.receive();
        ASSERT_TRUE(response) << i;
        ASSERT_EQ(response->body, "POST /" + std::to_string(i) + " 2 ok");
    }
    sender.join();
}

TEST_P(ServerTest, KeepsTheOrderWhenOtherThreadsAnswer) {
    TestClient client(port(), GetParam());
    std::string requests;
    for (int i = 0; i < 20; ++i) {
        requests += "GET /later HTTP/1.1\r\n\r\nGET /now HTTP/1.1\r\n\r\n";
    }
    client.send(requests);
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(client.receive()->body, "GET /later 0 ");
        EXPECT_EQ(client.receive()->body, "GET /now 0 ");
    }
}

TEST_P(ServerTest, ReadsRequestsSplitAnywhere) {
    const std::string text =
        "POST /a HTTP/1.1\r\nX-Ask: 1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
        "GET /b HTTP/1.1\r\nX-Ask: 2\r\n\r\n"
        "PUT /c HTTP/1.1\r\nContent-Length: 3\r\n\r\nxyz";
    TestClient client(port(), GetParam());
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
        client.send(text.substr(0, cut));
        client.send(text.substr(cut));
        ASSERT_EQ(client.receive()->body, "POST /a 3 abc") << cut;
        ASSERT_EQ(client.receive()->body, "GET /b 0 ") << cut;
        ASSERT_EQ(client.receive()->body, "PUT /c 3 xyz") << cut;
    }
    for (const char byte : text) {
        client.send({&byte, 1});
    }
    EXPECT_EQ(client.receive()->body, "POST /a 3 abc");
    EXPECT_EQ(client.receive()->body, "GET /b 0 ");
    EXPECT_EQ(client.receive()->body, "PUT /c 3 xyz");
}

TEST_P(ServerTest, IgnoresEmptyLinesBetweenRequests) {
    TestClient client(port(), GetParam());
    client.send("\r\n\r\nGET /a HTTP/1.1\r\n\r\n\r\nGET /b HTTP/1.1\r\n\r\n");
    EXPECT_EQ(client.receive()->body, "GET /a 0 ");
    EXPECT_EQ(client.receive()->body, "GET /b 0 ");
}

TEST_P(ServerTest, SendsContinueToAWaitingClient) {
    TestClient client(port(), GetParam());
    const auto interim =
        client.request("POST / HTTP/1.1\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
    ASSERT_TRUE(interim);
    EXPECT_EQ(interim->status, 100U);
    const auto response = client.request("body");
    ASSERT_TRUE(response);
    EXPECT_EQ(response->body, "POST / 4 body");
}

TEST_P(ServerTest, SendsNoContinueForABodyItWouldDiscard) {
    TestClient client(port(), GetParam());
    const auto response = client.request(
        "POST / HTTP/1.1\r\nContent-Length: 9000000\r\nExpect: 100-continue\r\n\r\n");
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 413U);
    EXPECT_TRUE(client.at_end());
}

TEST_P(ServerTest, AnswersHeadWithoutABody) {
    TestClient client(port(), GetParam());
    client.send("HEAD /a HTTP/1.1\r\n\r\n");
    const auto response = client.receive(true);
    ASSERT_TRUE(response);
    EXPECT_EQ(response->header("Content-Length"), std::to_string(std::string("HEAD /a 0 ").size()));
    EXPECT_EQ(client.request("GET /b HTTP/1.1\r\n\r\n")->body, "GET /b 0 ");
}

TEST_P(ServerTest, SendsNoBodyWhereTheStatusForbidsIt) {
    TestClient client(port(), GetParam());
    for (const char* status : {"204", "304"}) {
        const auto response =
            client.request("GET /status/" + std::string(status) + " HTTP/1.1\r\n\r\n");
        ASSERT_TRUE(response);
        EXPECT_THAT(response->head, HasSubstr(status));
        EXPECT_THAT(response->head, Not(HasSubstr("Content-Length")));
    }
    EXPECT_EQ(client.request("GET /b HTTP/1.1\r\n\r\n")->body, "GET /b 0 ");
}

TEST_P(ServerTest, SendsAStatusWithoutAKnownPhrase) {
    TestClient client(port(), GetParam());
    const auto response = client.request("GET /status/449 HTTP/1.1\r\n\r\n");
    ASSERT_TRUE(response);
    EXPECT_THAT(response->head, StartsWith("HTTP/1.1 449 \r\n"));
}

TEST_P(ServerTest, ClosesForHttp10AndOnRequest) {
    TestClient old(port(), GetParam());
    const auto response = old.request("GET / HTTP/1.0\r\n\r\n");
    ASSERT_TRUE(response);
    EXPECT_EQ(response->header("Connection"), "close");
    EXPECT_TRUE(old.at_end());

    TestClient asking(port(), GetParam());
    EXPECT_EQ(asking.request("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")->header("Connection"),
              "close");
    EXPECT_TRUE(asking.at_end());
}

TEST_P(ServerTest, KeepsAnHttp10ConnectionOnRequest) {
    TestClient client(port(), GetParam());
    for (int i = 0; i < 2; ++i) {
        const auto response = client.request("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        ASSERT_TRUE(response);
        EXPECT_EQ(response->header("Connection"), "keep-alive");
    }
}

TEST_P(ServerTest, DiscardsALargeBodyAndContinues) {
    ServerOptions options;
    options.limits.body_bytes_max = 1000;
    options.limits.body_bytes_drained_max = 10'000'000;
    start(options);
    TestClient client(port(), GetParam());
    const std::string body(1'000'000, 'b');
    const auto by_length =
        client.request("POST /a HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n" + body);
    ASSERT_TRUE(by_length);
    EXPECT_EQ(by_length->status, 413U);
    EXPECT_EQ(by_length->body, "POST /a 0 ");
    const auto in_chunks = client.request(
        "POST /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nf4240\r\n" + body + "\r\n0\r\n\r\n");
    ASSERT_TRUE(in_chunks);
    EXPECT_EQ(in_chunks->status, 413U);
    const auto small = client.request("POST /c HTTP/1.1\r\nContent-Length: 2\r\n\r\nok");
    ASSERT_TRUE(small);
    EXPECT_EQ(small->body, "POST /c 2 ok");
}

TEST_P(ServerTest, AnswersAFailingHandlerWith500) {
    for (const char* target : {"/throw", "/drop"}) {
        TestClient client(port(), GetParam());
        const auto response = client.request("GET " + std::string(target) + " HTTP/1.1\r\n\r\n");
        ASSERT_TRUE(response);
        EXPECT_EQ(response->status, 500U);
        EXPECT_THAT(response->body, StartsWith("refused:"));
        EXPECT_TRUE(client.at_end());
    }
    EXPECT_EQ(server_->stats().handler_exceptions, 1U);
}

TEST_P(ServerTest, CountsConnectionsAndBytes) {
    const std::string request = "POST /now HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello";
    for (int i = 0; i < 3; ++i) {
        TestClient client(port(), GetParam());
        ASSERT_TRUE(client.request(request));
        ASSERT_TRUE(client.request(request));
    }
    const ServerStats stats = server_->stats();
    EXPECT_EQ(stats.accepted, 3U);
    EXPECT_EQ(stats.refused, 0U);
    EXPECT_EQ(stats.bytes_received, 6 * request.size());
    EXPECT_GT(stats.bytes_sent, 6 * std::string("POST /now 5 hello").size());
    EXPECT_GT(stats.bodies.max, 0U);
}

TEST_P(ServerTest, AnswersExchangesDroppedByOtherThreads) {
    TestClient client(port(), GetParam());
    client.send("GET /hold HTTP/1.1\r\n\r\n");
    ASSERT_EQ(handler_.take_held(1).size(), 1U);
    const auto response = client.receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 500U);
}

TEST_P(ServerTest, ServesAThousandConnections) {
    raise_open_files_limit();
    std::vector<std::unique_ptr<TestClient>> clients;
    const int count = GetParam() == TestClient::Security::kPlain ? 1000 : 100;
    for (int i = 0; i < count; ++i) {
        clients.push_back(std::make_unique<TestClient>(port(), GetParam()));
        ASSERT_TRUE(clients.back()->connected());
    }
    for (int round = 0; round < 2; ++round) {
        for (const auto& client : clients) {
            client->send("GET /later HTTP/1.1\r\n\r\nGET /now HTTP/1.1\r\n\r\n");
        }
        for (const auto& client : clients) {
            ASSERT_EQ(client->receive()->body, "GET /later 0 ");
            ASSERT_EQ(client->receive()->body, "GET /now 0 ");
        }
    }
    EXPECT_EQ(server_->stats().connections, static_cast<std::size_t>(count));
}

TEST(Server, ListensOnIpv6) {
    TestHandler handler;
    ServerOptions options;
    options.address = "::1";
    const auto server = Server::start(options, handler);
    if (!server && server.error().message().find("cannot assign") != std::string::npos) {
        GTEST_SKIP() << "this machine has no IPv6";
    }
    ASSERT_TRUE(server) << server.error().message();
    TestClient client((*server)->port(), TestClient::Security::kPlain, "::1");
    EXPECT_EQ(client.request("GET / HTTP/1.1\r\n\r\n")->status, 200U);
}

TEST(Server, ReportsWhyItCannotListen) {
    TestHandler handler;
    const auto first = Server::start({}, handler);
    ASSERT_TRUE(first);
    ServerOptions options;
    options.port = (*first)->port();
    const auto second = Server::start(options, handler);
    ASSERT_FALSE(second);
    EXPECT_EQ(
        second.error().message(),
        "cannot listen on 127.0.0.1:" + std::to_string(options.port) + ": address already in use");

    options.address = "not an address";
    EXPECT_EQ(Server::start(options, handler).error().message(),
              "'not an address' is not an IP address");
}

TEST(Server, RefusesAnInvalidTlsIdentity) {
    TestHandler handler;
    const TlsIdentity one = test_identity(1'763'200'000);
    const TlsIdentity two = test_identity(1'763'200'000);
    ServerOptions options;
    options.tls = {one.certificate_pem, two.private_key_pem};
    EXPECT_FALSE(Server::start(options, handler));
    options.tls = {"no certificate", one.private_key_pem};
    EXPECT_FALSE(Server::start(options, handler));
}

}  // namespace server_test
}  // namespace orrery::http
