// The Exchange passed to a handler: a view of the connection's request and the right to answer
// once. Destroying it unanswered answers 500, so that no client waits forever.

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "http/connection.h"
#include "http/message.h"

namespace orrery::http {

class ConnectionExchange final : public Exchange {
public:
    explicit ConnectionExchange(std::shared_ptr<Connection> connection)
        : connection_(std::move(connection)) {}
    ~ConnectionExchange() override {
        if (!answered_.exchange(true)) connection_->drop();
    }
    ConnectionExchange(const ConnectionExchange&) = delete;
    ConnectionExchange& operator=(const ConnectionExchange&) = delete;

    std::string_view method() const override { return connection_->request().method(); }
    std::string_view target() const override { return connection_->request().target(); }
    std::optional<std::string_view> header(std::string_view name) const override {
        return connection_->request().header(name);
    }
    void for_each_header(const HeaderVisitor& visit) const override {
        connection_->request().for_each_header(visit);
    }
    std::string& body() override { return connection_->request().body; }
    bool body_too_large() const override { return connection_->request().body_too_large; }
    bool secure() const override { return connection_->secure(); }
    bool from_loopback() const override { return connection_->from_loopback(); }
    std::string client_address() const override { return connection_->client_address(); }

    void respond(Response response) override {
        if (!answered_.exchange(true)) connection_->respond(std::move(response));
    }

    void respond_with(std::function<Response()> make_response) override {
        if (!answered_.exchange(true)) connection_->respond_with(std::move(make_response));
    }

private:
    const std::shared_ptr<Connection> connection_;
    std::atomic<bool> answered_{false};
};

}  // namespace orrery::http
