#include "gateway/forwarder.h"

#include <atomic>
#include <gmock/gmock.h>
#include <mutex>

#include <gtest/gtest.h>

#include "base/stopwatch.h"
#include "gateway/headers.h"
#include "gateway/test_support.h"
#include "http/server.h"

namespace orrery::gateway {
namespace forwarder_test {

using testing::HasSubstr;
using testing::Not;
using testing_support::FakeExchange;
using testing_support::Headers;
using testing_support::Reply;

// Another node: answers what `answer` makes of the request, and remembers it.
class Node final : public http::Handler {
public:
    using Answer = std::function<http::Response(const http::Exchange&)>;

    explicit Node(Answer answer) : answer_(std::move(answer)) {
        http::ServerOptions options;
        options.threads = 1;
        server_ = http::Server::start(options, *this).take();
    }

    http::Peer peer() const {
        return {.url = *http::parse_url("http://127.0.0.1:" + std::to_string(server_->port())),
                .authority_pem = {}};
    }
    int requests() const { return requests_; }

    std::shared_ptr<http::AdmittedRequest> admit(
        std::shared_ptr<http::Exchange> exchange) override {
        class Request final : public http::AdmittedRequest {
        public:
            Request(Node& node, std::shared_ptr<http::Exchange> exchange)
                : node_(node), exchange_(std::move(exchange)) {}
            void handle() override {
                ++node_.requests_;
                exchange_->respond(node_.answer_(*exchange_));
            }

        private:
            Node& node_;
            const std::shared_ptr<http::Exchange> exchange_;
        };
        return std::make_shared<Request>(*this, std::move(exchange));
    }
    http::Response refuse(unsigned status, std::string_view /*reason*/) override {
        http::Response response;
        response.status = status;
        return response;
    }

private:
    const Answer answer_;
    std::atomic<int> requests_ = 0;
    std::unique_ptr<http::Server> server_;
};

http::Response answer(unsigned status, std::string body = {}) {
    http::Response response;
    response.status = status;
    response.body = std::move(body);
    return response;
}

class ForwarderTest : public testing::Test {
protected:
    // Asks the place "7"; `find` says where that is.
    Reply forward(const std::string& method,
                  Headers headers,
                  const std::string& body,
                  Forwarder::Options options) {
        const Forwarder forwarder(std::move(options), peers_, proof_, clock_);
        const auto exchange =
            std::make_shared<FakeExchange>(method, "/dbs/d?x", std::move(headers), body);
        auto response = exchange->response();
        forwarder.forward(
            exchange,
            "activity",
            "7",
            monotonic_now() + std::chrono::seconds(20),
            [](const Error& error) { return answer(http_status(error.code()), error.message()); });
        Reply reply(response.get());
        stats_ = forwarder.stats();
        return reply;
    }

    Forwarder::Options to(const Node& node) {
        return {.node = "a",
                .find = [&node](const std::string& /*place*/,
                                bool /*again*/) { return std::optional(node.peer()); },
                .patience = std::chrono::milliseconds(300),
                .pause = std::chrono::milliseconds(5)};
    }

    SystemClock clock_;
    const NodeProof proof_{"secret"};
    http::Peers peers_{http::Peers::Options{}};
    Forwarder::Stats stats_;
};

TEST_F(ForwarderTest, PassesEverythingOn) {
    std::string seen;
    std::optional<std::string> signer;
    const Node node([&](const http::Exchange& exchange) {
        exchange.for_each_header([&](std::string_view name, std::string_view value) {
            seen.append(name).append("=").append(value).append(";");
        });
        signer = proof_.signer_of(exchange, clock_.now_seconds());
        http::Response response =
            answer(207, std::string(exchange.method()) + std::string(exchange.target()));
        response.add_header("x-ms-request-charge", "2.5");
        return response;
    });
    const Reply reply = forward("PUT",
                                {{"authorization", "mine"},
                                 {"Connection", "close"},
                                 {"Host", "h"},
                                 {"x-orrery-node", "forged"}},
                                "body",
                                to(node));
    EXPECT_EQ(reply.status, 207U);
    EXPECT_EQ(reply.body, "PUT/dbs/d?x");
    EXPECT_EQ(reply.header("x-ms-request-charge"), "2.5");
    EXPECT_THAT(seen, HasSubstr("authorization=mine;"));
    EXPECT_THAT(seen, HasSubstr("x-ms-activity-id=activity;"));
    EXPECT_THAT(seen, Not(HasSubstr("forged")));
    EXPECT_EQ(signer, "a");
    EXPECT_EQ(stats_.forwarded, 1U);
}

TEST_F(ForwarderTest, AsksAgainWhereItIsTold) {
    const Node right([](const http::Exchange& /*exchange*/) { return answer(200, "right"); });
    const Node wrong([](const http::Exchange& /*exchange*/) {
        http::Response response = answer(503);
        response.add_header(header::kElsewhere, "7 b");
        return response;
    });
    Forwarder::Options options = to(wrong);
    std::vector<std::string> places;
    options.find = [&](const std::string& place, bool /*again*/) {
        places.push_back(place);
        return std::optional(place == "7 b" ? right.peer() : wrong.peer());
    };
    EXPECT_EQ(forward("POST", {}, "", std::move(options)).body, "right");
    EXPECT_THAT(places, testing::ElementsAre("7", "7 b"));
}

TEST_F(ForwarderTest, WaitsForANode) {
    const Node node([](const http::Exchange& /*exchange*/) { return answer(200); });
    Forwarder::Options options = to(node);
    int asked = 0;
    options.find = [&](const std::string& /*place*/, bool again) {
        EXPECT_EQ(again, asked > 0);
        return ++asked < 3 ? std::nullopt : std::optional(node.peer());
    };
    EXPECT_EQ(forward("POST", {}, "", std::move(options)).status, 200U);
    EXPECT_EQ(stats_.repeated, 2U);
}

TEST_F(ForwarderTest, GivesUp) {
    const Node node([](const http::Exchange& /*exchange*/) { return answer(200); });
    Forwarder::Options options = to(node);
    options.patience = std::chrono::milliseconds(30);
    options.find = [](const std::string& /*place*/, bool /*again*/) {
        return std::optional<http::Peer>();
    };
    EXPECT_EQ(forward("GET", {}, "", std::move(options)).status, 503U);
    EXPECT_EQ(stats_.failed, 1U);
}

// A port that nobody listens on.
http::Peer nowhere() {
    const Node node([](const http::Exchange& /*exchange*/) { return answer(200); });
    return node.peer();
}

TEST_F(ForwarderTest, RepeatsWhatWasNotSent) {
    const Node node([](const http::Exchange& /*exchange*/) { return answer(201); });
    Forwarder::Options options = to(node);
    options.find = [&, dead = nowhere()](const std::string& /*place*/, bool again) {
        return std::optional(again ? node.peer() : dead);
    };
    EXPECT_EQ(forward("POST", {}, "{}", std::move(options)).status, 201U);
}

// A write that was sent may have been carried out.
TEST_F(ForwarderTest, RepeatsOnlyReadsThatWereNotAnswered) {
    std::atomic<int> attempts = 0;
    const Node node([&](const http::Exchange& /*exchange*/) {
        ++attempts;
        http::Response response = answer(200);
        // Not an answer that the other side can read.
        response.headers = "broken\r\n";
        return response;
    });
    Forwarder::Options options = to(node);
    options.patience = std::chrono::milliseconds(50);
    EXPECT_EQ(forward("POST", {}, "{}", options).status, 408U);
    EXPECT_EQ(attempts, 1);
    const Headers query{{"x-ms-documentdb-isquery", "True"}};
    EXPECT_EQ(forward("POST", query, "{}", options).status, 408U);
    EXPECT_GT(attempts, 2);
}

TEST(NodeProofTest, HoldsForOneRequest) {
    const NodeProof proof("secret");
    constexpr std::int64_t kNow = 1'000'000;
    const auto exchange_with = [](const std::string& target, const std::string& value) {
        return FakeExchange("GET", target, {{"x-orrery-node", value}}, "");
    };
    const std::string value = proof.sign("n1", "GET", "/a", kNow);
    EXPECT_EQ(proof.signer_of(exchange_with("/a", value), kNow + 100), "n1");
    EXPECT_FALSE(proof.signer_of(exchange_with("/b", value), kNow));
    EXPECT_FALSE(proof.signer_of(exchange_with("/a", value), kNow + 1000));
    EXPECT_FALSE(proof.signer_of(exchange_with("/a", "n2" + value.substr(2)), kNow));
    EXPECT_FALSE(proof.signer_of(exchange_with("/a", ""), kNow));
    EXPECT_FALSE(NodeProof("other").signer_of(exchange_with("/a", value), kNow));
}

}  // namespace forwarder_test
}  // namespace orrery::gateway
