#include "http/reactor.h"

#include <chrono>
#include <exception>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/http_date.h"
#include "base/log.h"
#include "http/connection.h"

namespace orrery::http {

namespace asio = boost::asio;

// Any connection may close meanwhile and leave the list.
template <typename Visit>
void Reactor::for_each_connection(Visit visit) {
    next_visited_ = connections_.begin();
    while (next_visited_ != connections_.end()) {
        visit(*next_visited_++);
    }
}

Reactor::Reactor(std::shared_ptr<ServerState> state)
    : state_(std::move(state)),
      buffers_(std::make_unique<Buffers>()),
      work_(io_.get_executor()),
      timer_(io_),
      date_(print_http_date(state_->clock.now_seconds())),
      waiters_(*state_) {}

Reactor::~Reactor() = default;

void Reactor::run() {
    thread_ = std::this_thread::get_id();
    schedule_tick();
    for (bool over = false; !over;) {
        // Connections catch handler exceptions, so this is out of memory. It costs the connection
        // it happened on, which is destroyed with its wait.
        try {
            io_.run();
            over = true;
        } catch (const std::exception& e) {
            log::error("reactor_exception", {{"what", e.what()}});
        }
    }
    const std::lock_guard lock(mutex_);
    finished_ = true;
    deliveries_.clear();
}

void Reactor::adopt(Socket socket) {
    asio::post(io_, [this, taken = std::move(socket)]() mutable {
        const auto connection = std::make_shared<Connection>(
            shared_from_this(), std::move(taken), purpose_of_new_client());
        connection->start();
    });
}

Reactor::Purpose Reactor::purpose_of_new_client() {
    const bool room = state_->connections <= state_->limits.connections_max;
    if (room || waiters_.replace_one(connections_.size())) return Purpose::kServe;
    state_->refused.add(1);
    return Purpose::kRefuse;
}

bool Reactor::deliver(std::shared_ptr<Connection> connection) {
    {
        const std::lock_guard lock(mutex_);
        if (finished_) return false;
        deliveries_.push_back(std::move(connection));
        if (deliveries_.size() > 1) return true;
    }
    asio::post(io_, [this] { take_deliveries(); });
    return true;
}

void Reactor::take_deliveries() {
    std::vector<std::shared_ptr<Connection>> taken;
    {
        const std::lock_guard lock(mutex_);
        taken.swap(deliveries_);
    }
    for (const auto& connection : taken) {
        connection->resume();
    }
}

void Reactor::drain(std::function<void()> drained) {
    asio::post(io_, [this, callback = std::move(drained)]() mutable {
        draining_ = true;
        drained_ = std::move(callback);
        for_each_connection([](Connection& connection) { connection.drain(); });
        report_if_drained();
    });
}

void Reactor::report_if_drained() {
    if (draining_ && exchanges_ == 0 && drained_) std::exchange(drained_, nullptr)();
}

void Reactor::close_all() {
    asio::post(io_, [this] {
        cut_off_ = exchanges_;
        drained_ = nullptr;
        for_each_connection([](Connection& connection) { connection.close(); });
        timer_.cancel();
        closing_ = true;
        work_.reset();
    });
}

void Reactor::add(Connection& connection) { connections_.push_back(connection); }

void Reactor::remove(Connection& connection) {
    const auto at = connections_.iterator_to(connection);
    if (next_visited_ == at) ++next_visited_;
    connections_.erase(at);
}

void Reactor::exchange_ended() {
    --exchanges_;
    report_if_drained();
}

void Reactor::schedule_tick() {
    timer_.expires_after(std::chrono::seconds(1));
    timer_.async_wait([this](const boost::system::error_code& ec) {
        if (ec || closing_) return;
        tick();
        schedule_tick();
    });
}

void Reactor::tick() {
    ++now_;
    date_ = print_http_date(state_->clock.now_seconds());
    waiters_.tick(now_);
    for_each_connection([](Connection& connection) { connection.tick(); });
}

}  // namespace orrery::http
