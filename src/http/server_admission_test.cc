// Requests are refused by their head, and waiting clients give way to others when memory or
// connections run short.

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "http/server.h"
#include "http/test_client.h"
#include "http/test_handler.h"
#include "http/test_identity.h"

namespace orrery::http {
namespace server_admission_test {

using Clients = std::vector<std::unique_ptr<TestClient>>;

std::string post(const std::string& target, std::size_t length, const std::string& fields = {}) {
    return "POST " + target + " HTTP/1.1\r\nContent-Length: " + std::to_string(length) + "\r\n" +
           fields + "\r\n";
}

std::string get(const std::string& target) { return "GET " + target + " HTTP/1.1\r\n\r\n"; }

class AdmissionTest : public testing::TestWithParam<TestClient::Security> {
protected:
    // Waiting clients give way to others on the same reactor, hence one.
    void start(const Limits& limits) {
        ServerOptions options;
        options.threads = 1;
        options.limits = limits;
        const SystemClock clock;
        options.tls = test_identity(clock.now_seconds());
        auto started = Server::start(options, handler_);
        ASSERT_TRUE(started) << started.error().message();
        server_ = std::move(started).take();
    }

    std::uint16_t port() const { return server_->port(); }

    TestClient& connect(Clients& clients) {
        return *clients.emplace_back(std::make_unique<TestClient>(port(), GetParam()));
    }

    unsigned status_of(const std::string& request) {
        TestClient client(port(), GetParam());
        const auto response = client.request(request);
        return response ? response->status : 0;
    }
    // Waiting clients give way only after a while.
    bool is_soon(unsigned status, const std::string& request) {
        for (int i = 0; i < 1000; ++i) {
            if (status_of(request) == status) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }

    TestHandler handler_;
    std::unique_ptr<Server> server_;
};

INSTANTIATE_TEST_SUITE_P(Http,
                         AdmissionTest,
                         testing::Values(TestClient::Security::kPlain, TestClient::Security::kTls),
                         [](const auto& made) {
                             return made.param == TestClient::Security::kTls ? "Tls" : "Plain";
                         });

TEST_P(AdmissionTest, RefusesByTheHeadAlone) {
    start({});
    for (const std::string& request :
         {post("/stranger", 2'000'000),
          post("/stranger", 2'000'000) + "abc",
          post("/stranger", 99'000'000),
          post("/stranger", 70'000, "Expect: 100-continue\r\n"),
          post("/stranger", 10, "Expect: 100-continue\r\n"),
          std::string("POST /stranger HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfff")}) {
        TestClient client(port(), GetParam());
        const auto response = client.request(request);
        ASSERT_TRUE(response) << request;
        EXPECT_EQ(response->status, 401U) << request;
        EXPECT_EQ(response->body, "POST 0") << request;
        EXPECT_EQ(response->header("Connection"), "close") << request;
        EXPECT_TRUE(client.at_end()) << request;
    }
}

TEST_P(AdmissionTest, DiscardsASmallRefusedBodyAndContinues) {
    start({});
    TestClient client(port(), GetParam());
    for (int i = 0; i < 3; ++i) {
        const auto refused = client.request(post("/stranger", 60'000));
        ASSERT_TRUE(refused);
        EXPECT_EQ(refused->status, 401U);
        EXPECT_EQ(refused->header("Connection"), "");
        client.send(std::string(60'000, 'b'));
        EXPECT_EQ(client.request(get("/a"))->body, "GET /a 0 ");
    }
    client.send(post("/stranger", 5) + "hello" + get("/b") + post("/stranger", 0) + get("/c"));
    EXPECT_EQ(client.receive()->status, 401U);
    EXPECT_EQ(client.receive()->body, "GET /b 0 ");
    EXPECT_EQ(client.receive()->status, 401U);
    EXPECT_EQ(client.receive()->body, "GET /c 0 ");
}

// The response must not be lost to a reset.
TEST_P(AdmissionTest, ReadsOnUntilARefusedClientHasSentItsBody) {
    start({});
    TestClient client(port(), GetParam());
    EXPECT_TRUE(client.send(post("/stranger", 2'000'000) + std::string(2'000'000, 'b')));
    const auto response = client.receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 401U);
    EXPECT_TRUE(client.at_end());
}

TEST_P(AdmissionTest, AnswersAHandlerThatFailsOnTheHeadWith500) {
    start({});
    for (const char* target : {"/strange-throw", "/strange-drop"}) {
        EXPECT_EQ(status_of(post(target, 10)), 500U);
        EXPECT_EQ(status_of(get(target)), 500U);
    }
    EXPECT_EQ(server_->stats().handler_exceptions, 2U);
    EXPECT_EQ(status_of(get("/")), 200U);
}

TEST_P(AdmissionTest, RefusedBodiesTakeNoMemory) {
    Limits limits;
    limits.body_bytes_together_max = 200'000;
    limits.refused_body_bytes_drained_max = 1'000'000;
    start(limits);
    Clients clients;
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(connect(clients).request(post("/stranger", 300'000))->status, 401U);
        clients.back()->send(std::string(200'000, 'b'));
    }
    EXPECT_EQ(status_of(post("/", 190'000) + std::string(190'000, 'b')), 200U);
}

TEST_P(AdmissionTest, StalledBodiesGiveWay) {
    Limits limits;
    limits.body_bytes_together_max = 200'000;
    start(limits);
    Clients stalled;
    connect(stalled).send(post("/", 150'000) + std::string(110'000, 'b'));
    const std::string large = post("/", 150'000) + std::string(150'000, 'b');
    EXPECT_TRUE(is_soon(503, large)) << "it never held memory";
    EXPECT_TRUE(is_soon(200, large)) << "it did not give way";
    const auto response = stalled[0]->receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 503U);
    EXPECT_TRUE(stalled[0]->at_end());
}

TEST_P(AdmissionTest, SlowReadersGiveWay) {
    constexpr std::size_t kSize = 20'000'000;
    const std::string request = get("/size/" + std::to_string(kSize));
    Limits limits;
    limits.response_bytes_together_max = 3 * kSize + 1'000'000;
    start(limits);
    Clients slow;
    for (int i = 0; i < 6; ++i) {
        connect(slow).send(request);
        // Ready once the response has begun.
        TestClient after(port(), GetParam());
        EXPECT_EQ(after.request(get("/"))->status, 200U);
    }
    TestClient reader(port(), GetParam());
    const auto whole = reader.request(request);
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->body.size(), kSize);
    EXPECT_FALSE(slow[0]->receive()) << "the slowest reader was not closed";
    const auto last = slow[5]->receive();
    ASSERT_TRUE(last);
    EXPECT_EQ(last->body.size(), kSize);
}

TEST_P(AdmissionTest, TheLongestIdleClientGivesWay) {
    Limits limits;
    limits.connections_max = 3;
    start(limits);
    Clients clients;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(connect(clients).request(get("/"))->status, 200U);
    }
    EXPECT_TRUE(is_soon(200, get("/")));
    EXPECT_FALSE(clients[0]->receive());
    EXPECT_EQ(clients[1]->request(get("/"))->status, 200U);
    EXPECT_EQ(clients[2]->request(get("/"))->status, 200U);
}

TEST_P(AdmissionTest, UnknownClientsGiveWayFirst) {
    Limits limits;
    limits.connections_max = 4;
    start(limits);
    TestClient known(port(), GetParam());
    EXPECT_EQ(known.request(get("/"))->status, 200U);
    Clients unknown;
    EXPECT_EQ(connect(unknown).request(get("/stranger"))->status, 401U);
    EXPECT_EQ(connect(unknown).request(post("/stranger", 10))->status, 401U);
    connect(unknown).send("GET / HT");
    TestClient next(port(), GetParam());
    EXPECT_EQ(next.request(get("/"))->status, 200U);
    EXPECT_EQ(known.request(get("/a"))->status, 200U);
    EXPECT_FALSE(unknown[0]->receive());
    EXPECT_EQ(unknown[1]->request(std::string(10, 'b') + get("/b"))->status, 200U);
}

TEST_P(AdmissionTest, LargeUnfinishedHeadsOfUnknownClientsAreBounded) {
    Limits limits;
    limits.head_bytes_together_max = 50'000;
    start(limits);
    const std::string half = "GET / HTTP/1.1\r\nA: " + std::string(20'000, 'a');
    TestClient known(port(), GetParam());
    EXPECT_EQ(known.request(get("/"))->status, 200U);
    Clients clients;
    connect(clients).send(half);
    connect(clients).send(half);
    EXPECT_TRUE(is_soon(503, half)) << "unfinished heads were not counted";
    known.send(half);
    EXPECT_EQ(known.request("\r\n\r\n")->status, 200U);
    EXPECT_EQ(clients[0]->request("\r\n\r\n")->status, 200U);
    EXPECT_TRUE(is_soon(200, half + "\r\n\r\n"));
}

}  // namespace server_admission_test
}  // namespace orrery::http
