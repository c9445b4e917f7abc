#include "http/listener.h"

#include <cctype>
#include <chrono>
#include <utility>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>

#include "base/log.h"
#include "http/connection.h"  // GCC needs the type that the reactor's list holds

namespace orrery::http {

namespace asio = boost::asio;

namespace {

constexpr int kBacklog = 4096;
// How many clients above connections_max may replace another or get a 503; beyond that, sockets are
// just closed.
constexpr std::size_t kRefusedAtOnceMax = 256;
constexpr std::size_t kAcceptsInARow = 64;
constexpr std::chrono::milliseconds kPause{100};

std::string shown(const std::string& address, std::uint16_t port) {
    const bool v6 = address.find(':') != std::string::npos;
    return (v6 ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

std::string reason(const boost::system::error_code& ec) {
    std::string text = ec.message();
    if (!text.empty()) {
        text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    }
    return text;
}

}  // namespace

Listener::Listener(std::vector<std::shared_ptr<Reactor>> reactors)
    : reactors_(std::move(reactors)),
      state_(reactors_.front()->state()),
      acceptor_(reactors_.front()->io()),
      pause_timer_(reactors_.front()->io()) {}

Result<std::unique_ptr<Listener>> Listener::listen(const std::string& address,
                                                   std::uint16_t port,
                                                   std::vector<std::shared_ptr<Reactor>> reactors) {
    auto made = std::make_unique<Listener>(std::move(reactors));
    TRY(made->bind(address, port));
    return made;
}

Status Listener::bind(const std::string& address, std::uint16_t port) {
    boost::system::error_code ec;
    const asio::ip::address parsed = asio::ip::make_address(address, ec);
    if (ec) return Error(ErrorCode::kBadRequest, "'" + address + "' is not an IP address");
    const asio::ip::tcp::endpoint endpoint(parsed, port);
    acceptor_.open(endpoint.protocol(), ec);
    if (!ec) acceptor_.set_option(Acceptor::reuse_address(true), ec);
    if (!ec) acceptor_.bind(endpoint, ec);
    if (!ec) acceptor_.listen(kBacklog, ec);
    if (!ec) acceptor_.non_blocking(true, ec);
    if (!ec) port_ = acceptor_.local_endpoint(ec).port();
    if (ec) {
        return Error(ErrorCode::kUnavailable,
                     "cannot listen on " + shown(address, port) + ": " + reason(ec));
    }
    return {};
}

void Listener::start() {
    acceptor_.async_wait(Acceptor::wait_read, [this](const boost::system::error_code& ec) {
        if (!ec) accept_waiting();
    });
}

void Listener::accept_waiting() {
    for (std::size_t i = 0; i < kAcceptsInARow; ++i) {
        Reactor& reactor = *reactors_[next_];
        boost::system::error_code ec;
        Socket socket = acceptor_.accept(reactor.io(), ec);
        if (ec == asio::error::would_block || ec == asio::error::try_again) break;
        if (ec == asio::error::connection_aborted || ec == asio::error::interrupted) continue;
        if (ec) {
            log::warn("accept_failed", {{"reason", ec.message()}});
            pause();
            return;
        }
        next_ = (next_ + 1) % reactors_.size();
        admit(std::move(socket), reactor);
    }
    start();
}

// Most likely out of file descriptors: waiting clients stay in the backlog, and retrying at once
// would only waste CPU.
void Listener::pause() {
    pause_timer_.expires_after(kPause);
    pause_timer_.async_wait([this](const boost::system::error_code& ec) {
        if (!ec) start();
    });
}

void Listener::admit(Socket socket, Reactor& reactor) {
    const std::size_t others = state_.connections++;
    state_.accepted.add(1);
    if (others >= state_.limits.connections_max + kRefusedAtOnceMax) {
        --state_.connections;
        state_.refused.add(1);
        return;
    }
    reactor.adopt(std::move(socket));
}

void Listener::stop() {
    asio::post(reactors_.front()->io(), [this] {
        boost::system::error_code ignored;
        acceptor_.close(ignored);
        pause_timer_.cancel();
    });
}

}  // namespace orrery::http
