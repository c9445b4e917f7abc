// A handler for tests that echoes the request, and misbehaves on demand: the target decides
// ("/later", "/throw", "/drop", "/hold", "/status/304", "/size/100000", "/stream/3" for as
// many pieces, "/stream" for none yet). Targets that start with
// "/stranger" are not admitted and get 401, "/stranger/delay/50" after so many milliseconds;
// "/strange-throw" and "/strange-drop" fail on the head.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "http/message.h"

namespace orrery::http {

class TestHandler final : public Handler {
public:
    ~TestHandler() override;
    TestHandler() = default;
    TestHandler(const TestHandler&) = delete;
    TestHandler& operator=(const TestHandler&) = delete;

    std::shared_ptr<AdmittedRequest> admit(std::shared_ptr<Exchange> exchange) override;
    Response refuse(unsigned status, std::string_view reason) override;

    // The exchanges of "/hold", in order of arrival; waits for at least `count` of them.
    std::vector<std::shared_ptr<Exchange>> take_held(std::size_t count);

    int streams() const { return *streams_; }

    // "GET /path? 5 hello": what handle() answers to a plain target.
    static Response echo(Exchange& exchange);

private:
    class Admitted final : public AdmittedRequest {
    public:
        Admitted(TestHandler& handler, std::shared_ptr<Exchange> exchange)
            : handler_(handler), exchange_(std::move(exchange)) {}
        void handle() override { handler_.handle(std::move(exchange_)); }

    private:
        TestHandler& handler_;
        std::shared_ptr<Exchange> exchange_;
    };

    // "piece 1;piece 2;…", delivered by another thread; with -1 it delivers none.
    class CountedStream final : public BodyStream {
    public:
        CountedStream(int pieces, std::shared_ptr<std::atomic<int>> alive)
            : pieces_(pieces), alive_(std::move(alive)) {
            ++*alive_;
        }
        CountedStream(const CountedStream&) = delete;
        CountedStream& operator=(const CountedStream&) = delete;
        ~CountedStream() override { --*alive_; }
        void next(Deliver deliver) override {
            if (pieces_ < 0) {
                kept_ = std::move(deliver);
                return;
            }
            const int piece = ++sent_;
            std::string text = piece > pieces_ ? "" : "piece " + std::to_string(piece) + ";";
            std::thread([deliver = std::move(deliver), text = std::move(text)] {
                deliver(text);
            }).join();
        }

    private:
        const int pieces_;
        const std::shared_ptr<std::atomic<int>> alive_;
        int sent_ = 0;
        Deliver kept_;
    };

    void handle(std::shared_ptr<Exchange> exchange);

    const std::shared_ptr<std::atomic<int>> streams_ = std::make_shared<std::atomic<int>>(0);
    std::mutex mutex_;
    std::vector<std::shared_ptr<Exchange>> held_;
    std::vector<std::thread> threads_;
};

inline TestHandler::~TestHandler() {
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

inline std::shared_ptr<AdmittedRequest> TestHandler::admit(std::shared_ptr<Exchange> exchange) {
    const std::string_view target = exchange->target();
    if (target == "/strange-throw") throw std::runtime_error("as asked");
    if (target == "/strange-drop") return nullptr;
    if (!target.starts_with("/stranger")) {
        return std::make_shared<Admitted>(*this, std::move(exchange));
    }
    Response response;
    response.status = 401;
    response.body = std::string(exchange->method()) + " " + std::to_string(exchange->body().size());
    if (target.starts_with("/stranger/delay/")) {
        response.delay =
            std::chrono::milliseconds(std::atoi(std::string(target.substr(16)).c_str()));
    }
    exchange->respond(std::move(response));
    return nullptr;
}

inline void TestHandler::handle(std::shared_ptr<Exchange> exchange) {
    const std::string target(exchange->target());
    if (target == "/throw") throw std::runtime_error("as asked");
    if (target == "/drop") return;
    if (target == "/hold") {
        const std::lock_guard lock(mutex_);
        held_.push_back(std::move(exchange));
    } else if (target == "/later") {
        const std::lock_guard lock(mutex_);
        threads_.emplace_back([kept = std::move(exchange)] { kept->respond(echo(*kept)); });
    } else if (target.starts_with("/status/")) {
        Response response;
        response.status = static_cast<unsigned>(std::atoi(target.c_str() + 8));
        response.body = "body";
        exchange->respond(std::move(response));
    } else if (target.starts_with("/stream")) {
        const bool endless = target == "/stream";
        Response response;
        response.stream = std::make_shared<CountedStream>(
            endless ? -1 : std::atoi(target.c_str() + std::string_view("/stream/").size()),
            streams_);
        exchange->respond(std::move(response));
    } else if (target.starts_with("/size/")) {
        Response response;
        response.body = "skipped";
        response.body.append(std::strtoul(target.c_str() + 6, nullptr, 10), 'x');
        response.body_offset = 7;
        exchange->respond(std::move(response));
    } else {
        Response response = echo(*exchange);
        exchange->respond(std::move(response));
    }
}

inline Response TestHandler::echo(Exchange& exchange) {
    Response response;
    response.status = exchange.body_too_large() ? 413 : 200;
    response.add_header("x-secure", exchange.secure() ? "yes" : "no");
    response.add_header("x-echo", exchange.header("X-Ask").value_or("nothing"));
    response.body_begin = std::string(exchange.method()) + " ";
    response.body = std::string(exchange.target()) + " " + std::to_string(exchange.body().size()) +
                    " " + exchange.body().substr(0, 1000);
    return response;
}

inline Response TestHandler::refuse(unsigned status, std::string_view reason) {
    Response response;
    response.status = status;
    response.body = "refused: " + std::string(reason);
    return response;
}

inline std::vector<std::shared_ptr<Exchange>> TestHandler::take_held(std::size_t count) {
    for (int i = 0; i < 1000; ++i) {
        {
            const std::lock_guard lock(mutex_);
            if (held_.size() >= count) return std::exchange(held_, {});
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return {};
}

}  // namespace orrery::http
