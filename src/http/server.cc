#include "http/server.h"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "http/connection.h"
#include "http/listener.h"
#include "http/reactor.h"
#include "http/tls_context.h"

namespace orrery::http {

namespace {

using Reactors = std::vector<std::shared_ptr<Reactor>>;

class ReactorServer final : public Server {
public:
    ReactorServer(std::shared_ptr<ServerState> state,
                  Reactors reactors,
                  std::unique_ptr<Listener> listener);
    ~ReactorServer() override { stop(std::chrono::seconds(0)); }
    ReactorServer(const ReactorServer&) = delete;
    ReactorServer& operator=(const ReactorServer&) = delete;

    std::uint16_t port() const override { return listener_->port(); }
    bool stop(std::chrono::seconds patience) override;
    ServerStats stats() const override;

private:
    void wait_until_drained(std::chrono::seconds patience);

    const std::shared_ptr<ServerState> state_;
    const Reactors reactors_;
    const std::unique_ptr<Listener> listener_;
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t drained_ = 0;  // guarded by mutex_
};

// Signals are handled by the main thread, and writing to a closed connection must not raise
// SIGPIPE.
void block_signals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

ReactorServer::ReactorServer(std::shared_ptr<ServerState> state,
                             Reactors reactors,
                             std::unique_ptr<Listener> listener)
    : state_(std::move(state)), reactors_(std::move(reactors)), listener_(std::move(listener)) {
    listener_->start();
    for (std::size_t i = 0; i < reactors_.size(); ++i) {
        threads_.emplace_back([reactor = reactors_[i], i] {
            block_signals();
            pthread_setname_np(pthread_self(), ("http-" + std::to_string(i)).c_str());
            reactor->run();
        });
    }
}

bool ReactorServer::stop(std::chrono::seconds patience) {
    if (threads_.empty()) return true;
    listener_->stop();
    wait_until_drained(patience);
    for (const auto& reactor : reactors_) {
        reactor->close_all();
    }
    for (std::thread& thread : threads_) {
        thread.join();
    }
    threads_.clear();
    return std::all_of(reactors_.begin(), reactors_.end(), [](const auto& reactor) {
        return reactor->cut_off() == 0;
    });
}

MemoryStats stats_of(const MemoryBudget& budget) {
    return {.used = budget.taken(), .max = budget.max(), .refusals = budget.refusals()};
}

ServerStats ReactorServer::stats() const {
    const auto& traffic = state_->traffic;
    return {.connections = state_->connections,
            .accepted = state_->accepted.value(),
            .refused = state_->refused.value(),
            .handshake_failures = state_->handshake_failures.value(),
            .delayed = state_->delayed,
            .bytes_received = traffic.sum([](const Traffic& t) -> auto& { return t.received; }),
            .bytes_sent = traffic.sum([](const Traffic& t) -> auto& { return t.sent; }),
            .handler_exceptions = state_->handler_exceptions,
            .heads = stats_of(state_->unknown_heads),
            .bodies = stats_of(state_->bodies),
            .responses = stats_of(state_->responses)};
}

void ReactorServer::wait_until_drained(std::chrono::seconds patience) {
    for (const auto& reactor : reactors_) {
        reactor->drain([this] {
            const std::lock_guard lock(mutex_);
            ++drained_;
            changed_.notify_one();
        });
    }
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [this] { return drained_ == reactors_.size(); });
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, Handler& handler) {
    std::optional<TlsContext> tls;
    if (!options.tls.certificate_pem.empty()) {
        tls = TRY(TlsContext::from_pem(options.tls, options.client_authorities_pem));
    }
    auto state = std::make_shared<ServerState>(handler, options.limits, std::move(tls));
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    Reactors reactors(options.threads > 0 ? options.threads : cores);
    for (auto& reactor : reactors) {
        reactor = std::make_shared<Reactor>(state);
    }
    auto listener = TRY(Listener::listen(options.address, options.port, reactors));
    return std::unique_ptr<Server>(std::make_unique<ReactorServer>(
        std::move(state), std::move(reactors), std::move(listener)));
}

}  // namespace orrery::http
