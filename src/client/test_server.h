// A server for tests of clients, which gives prepared answers and remembers the requests.

#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "client/account.h"
#include "http/server.h"

namespace orrery::client {

class TestServer final : public http::Handler {
public:
    struct Received {
        std::string method;
        std::string target;
        std::string body;
        std::string continuation;
    };

    TestServer() { server_ = std::move(http::Server::start(options(), *this)).take(); }

    // The next answer; after the last one, requests are answered 418.
    void answer(unsigned status, std::string body = {}, std::string headers = {}) {
        const std::lock_guard lock(mutex_);
        http::Response response;
        response.status = status;
        response.body = std::move(body);
        response.headers = std::move(headers);
        answers_.push_back(std::move(response));
    }

    Account account() const {
        AccountOptions options;
        options.endpoint = "http://127.0.0.1:" + std::to_string(server_->port());
        return *resolve_account(options);
    }

    std::vector<Received> received() const {
        const std::lock_guard lock(mutex_);
        return received_;
    }

    void stop() { server_.reset(); }

    std::shared_ptr<http::AdmittedRequest> admit(
        std::shared_ptr<http::Exchange> exchange) override {
        return std::make_shared<Admitted>(*this, std::move(exchange));
    }
    http::Response refuse(unsigned status, std::string_view /*reason*/) override {
        http::Response out;
        out.status = status;
        return out;
    }

private:
    class Admitted final : public http::AdmittedRequest {
    public:
        Admitted(TestServer& server, std::shared_ptr<http::Exchange> exchange)
            : server_(server), exchange_(std::move(exchange)) {}
        void handle() override { server_.handle(exchange_); }

    private:
        TestServer& server_;
        std::shared_ptr<http::Exchange> exchange_;
    };

    static http::ServerOptions options() {
        http::ServerOptions out;
        out.threads = 1;
        return out;
    }

    void handle(const std::shared_ptr<http::Exchange>& exchange) {
        const std::lock_guard lock(mutex_);
        received_.push_back(
            {.method = std::string(exchange->method()),
             .target = std::string(exchange->target()),
             .body = exchange->body(),
             .continuation = std::string(exchange->header("x-ms-continuation").value_or(""))});
        http::Response response;
        if (answers_.empty()) {
            response.status = 418;
        } else {
            response = std::move(answers_.front());
            answers_.pop_front();
        }
        exchange->respond(std::move(response));
    }

    mutable std::mutex mutex_;
    std::deque<http::Response> answers_;
    std::vector<Received> received_;
    std::unique_ptr<http::Server> server_;
};

}  // namespace orrery::client
