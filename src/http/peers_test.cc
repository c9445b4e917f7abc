#include "http/peers.h"

#include <future>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/stopwatch.h"
#include "http/server.h"
#include "http/test_handler.h"
#include "http/test_identity.h"

namespace orrery::http {
namespace peers_test {

// Answers with the method, the target, two headers and the body of the request.
class Echo final : public Handler {
public:
    std::shared_ptr<AdmittedRequest> admit(std::shared_ptr<Exchange> exchange) override {
        class Request final : public AdmittedRequest {
        public:
            explicit Request(std::shared_ptr<Exchange> own) : exchange_(std::move(own)) {}
            void handle() override {
                Response response;
                response.status = 207;
                response.add_header("x-name", exchange_->header("x-name").value_or("none"));
                exchange_->for_each_header([&](std::string_view name, std::string_view value) {
                    if (name == "x-other") response.add_header("x-copy", value);
                });
                response.body = std::string(exchange_->method()) + " " +
                                std::string(exchange_->target()) + " " + exchange_->body();
                exchange_->respond(std::move(response));
            }

        private:
            const std::shared_ptr<Exchange> exchange_;
        };
        return std::make_shared<Request>(std::move(exchange));
    }
    Response refuse(unsigned status, std::string_view /*reason*/) override {
        Response response;
        response.status = status;
        return response;
    }
};

PeerRequest request(std::string head, std::string body = "") {
    return {.head = std::move(head),
            .body = std::move(body),
            .deadline = monotonic_now() + std::chrono::seconds(20)};
}

class PeersTest : public testing::Test {
protected:
    void start(const TlsIdentity& tls = {}) {
        ServerOptions options;
        options.tls = tls;
        options.threads = 1;
        server_ = Server::start(options, echo_).take();
        peer_.url = *parse_url((tls.certificate_pem.empty() ? "http" : "https") +
                               std::string("://127.0.0.1:") + std::to_string(server_->port()));
    }

    Result<Response> send(PeerRequest wanted) {
        std::promise<Result<Response>> answered;
        peers_->send(peer_, std::move(wanted), [&](Result<Response> answer) {
            answered.set_value(std::move(answer));
        });
        return answered.get_future().get();
    }

    Echo echo_;
    std::unique_ptr<Server> server_;
    Peer peer_;
    std::unique_ptr<Peers> peers_ = std::make_unique<Peers>(Peers::Options{});
};

TEST_F(PeersTest, PassesRequestsAndAnswersOn) {
    start();
    const auto answer =
        send(request("PUT /a?b HTTP/1.1\r\nHost: h\r\nx-name: v\r\nx-other: w\r\n", "body"));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 207U);
    EXPECT_EQ(answer->body, "PUT /a?b body");
    EXPECT_EQ(answer->headers, "x-name: v\r\nx-copy: w\r\n");
}

TEST_F(PeersTest, UsesConnectionsAgain) {
    start();
    for (int i = 0; i < 10; ++i)
        ASSERT_TRUE(send(request("GET / HTTP/1.1\r\nHost: h\r\n")));
    EXPECT_EQ(server_->stats().accepted, 1U);
}

TEST_F(PeersTest, SendsManyAtATime) {
    start();
    constexpr int kRequests = 100;
    std::vector<std::promise<std::string>> answers(kRequests);
    for (int i = 0; i < kRequests; ++i) {
        peers_->send(peer_,
                     request("POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: h\r\n", "x"),
                     [&answers, i](Result<Response> answer) {
                         answers[static_cast<std::size_t>(i)].set_value(answer ? answer->body : "");
                     });
    }
    for (int i = 0; i < kRequests; ++i) {
        EXPECT_EQ(answers[static_cast<std::size_t>(i)].get_future().get(),
                  "POST /" + std::to_string(i) + " x");
    }
}

TEST_F(PeersTest, SaysThatNothingWasSent) {
    start();
    server_->stop(std::chrono::seconds(0));
    server_.reset();
    EXPECT_EQ(send(request("GET / HTTP/1.1\r\nHost: h\r\n")).error().code(),
              ErrorCode::kUnavailable);
}

TEST_F(PeersTest, ConnectsAgain) {
    start();
    ASSERT_TRUE(send(request("GET / HTTP/1.1\r\nHost: h\r\n")));
    server_->stop(std::chrono::seconds(0));
    start();
    EXPECT_TRUE(send(request("GET / HTTP/1.1\r\nHost: h\r\n")));
}

TEST_F(PeersTest, VerifiesCertificates) {
    const std::int64_t now = SystemClock().now_seconds();
    const std::vector<std::string> names{"127.0.0.1"};
    const Authority authority = *make_authority(names, now);
    start(*issue_certificate(authority, names, now));
    peer_.authority_pem = authority.certificate_pem;
    EXPECT_TRUE(send(request("GET / HTTP/1.1\r\nHost: h\r\n")));
    peer_.authority_pem = make_authority(names, now)->certificate_pem;
    EXPECT_EQ(send(request("GET / HTTP/1.1\r\nHost: h\r\n")).error().code(),
              ErrorCode::kUnavailable);
}

TEST_F(PeersTest, EndsRequestsUnderWay) {
    // A listener that nobody accepts from: the request is sent and never answered.
    boost::asio::io_context io;
    const boost::asio::ip::tcp::endpoint any(boost::asio::ip::address_v4::loopback(), 0);
    const boost::asio::ip::tcp::acceptor listener(io, any);
    peer_.url = *parse_url("http://127.0.0.1:" + std::to_string(listener.local_endpoint().port()));
    std::promise<ErrorCode> ended;
    peers_->send(peer_, request("GET / HTTP/1.1\r\nHost: h\r\n"), [&](Result<Response> answer) {
        ended.set_value(answer.error().code());
    });
    peers_.reset();
    // Whether it was sent before it ended depends on the threads.
    const ErrorCode code = ended.get_future().get();
    EXPECT_TRUE(code == ErrorCode::kTimeout || code == ErrorCode::kUnavailable);
}

}  // namespace peers_test
}  // namespace orrery::http
