// One thread with an event loop and its connections. Only this thread touches the connections;
// other threads use adopt(), deliver() and the stop calls.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/intrusive/list.hpp>

#include "base/clock.h"
#include "base/metrics.h"
#include "http/memory_budget.h"
#include "http/message.h"
#include "http/server.h"
#include "http/socket.h"
#include "http/tls_context.h"
#include "http/waiters.h"

namespace orrery::http {

class Connection;

// In bytes, before encryption.
struct Traffic {
    metrics::Count received;
    metrics::Count sent;
};

// Shared by all reactors and connections of a server.
struct ServerState {
    ServerState(Handler& the_handler, const Limits& the_limits, std::optional<TlsContext> the_tls)
        : handler(the_handler),
          limits(the_limits),
          tls(std::move(the_tls)),
          unknown_heads(the_limits.head_bytes_together_max),
          bodies(the_limits.body_bytes_together_max),
          responses(the_limits.response_bytes_together_max) {}

    Handler& handler;
    const Limits limits;
    const std::optional<TlsContext> tls;
    const SystemClock clock;
    MemoryBudget unknown_heads;
    MemoryBudget bodies;
    MemoryBudget responses;
    std::atomic<std::size_t> connections{0};
    std::atomic<std::size_t> delayed{0};  // see Response::delay
    std::atomic<std::uint64_t> handler_exceptions{0};
    metrics::Count accepted;
    metrics::Count refused;
    metrics::Count handshake_failures;
    metrics::PerSlot<Traffic> traffic;
};

using ListHook = boost::intrusive::list_base_hook<>;

class Reactor : public std::enable_shared_from_this<Reactor> {
public:
    enum class Purpose : std::uint8_t { kServe, kRefuse };

    explicit Reactor(std::shared_ptr<ServerState> state);
    Reactor(const Reactor&) = delete;
    Reactor& operator=(const Reactor&) = delete;
    ~Reactor();

    // The thread's main function; returns after close_all().
    void run();

    // Thread-safe: takes over a new client, already counted in ServerState::connections. Above
    // Limits::connections_max it replaces a waiting client, or is refused.
    void adopt(Socket socket);
    // Thread-safe: resumes a connection that has its answer. Many deliveries cause one wakeup.
    // Returns false if the reactor has ended.
    bool deliver(std::shared_ptr<Connection> connection);
    // Thread-safe, call once: connections accept no further requests and idle ones are closed.
    // `drained` is called on the reactor's thread when the last exchange has ended.
    void drain(std::function<void()> drained);
    // Thread-safe, call once: closes all connections. cut_off() counts those that were in an
    // exchange, and is valid after run() has returned.
    void close_all();
    std::size_t cut_off() const { return cut_off_; }

    // The rest is for the reactor's thread only.
    bool runs_here() const { return thread_.load() == std::this_thread::get_id(); }
    bool draining() const { return draining_; }
    Tick now() const { return now_; }
    std::string_view date() const { return date_; }
    ServerState& state() { return *state_; }
    boost::asio::io_context& io() { return io_; }

    // Memory for one read or one TLS record, valid until the reactor serves another connection.
    std::span<char> read_buffer() { return {buffers_->read}; }
    std::span<char> write_buffer() { return {buffers_->write}; }

    // The connection being served, if any: no other may be served until it returns.
    Connection* active() const { return active_; }
    void set_active(Connection* connection) { active_ = connection; }

    void add(Connection& connection);
    void remove(Connection& connection);
    Waiters& waiters() { return waiters_; }
    void exchange_began() { ++exchanges_; }
    void exchange_ended();

private:
    static constexpr std::size_t kReadBytes = 64UL * 1024;
    static constexpr std::size_t kTlsRecordBytes = 16UL * 1024;

    struct Buffers {
        std::array<char, kReadBytes> read;
        std::array<char, kTlsRecordBytes> write;
    };

    using Connections = boost::intrusive::list<Connection, boost::intrusive::base_hook<ListHook>>;

    Purpose purpose_of_new_client();
    void schedule_tick();
    void tick();
    void take_deliveries();
    void report_if_drained();
    template <typename Visit>
    void for_each_connection(Visit visit);

    const std::shared_ptr<ServerState> state_;
    const std::unique_ptr<Buffers> buffers_;
    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<Executor> work_;
    Timer timer_;
    std::atomic<std::thread::id> thread_;
    Tick now_ = 0;
    std::string date_;
    Connections connections_;
    Connections::iterator next_visited_ = connections_.end();
    Waiters waiters_;
    Connection* active_ = nullptr;
    std::size_t exchanges_ = 0;
    std::size_t cut_off_ = 0;
    std::function<void()> drained_;
    bool draining_ = false;
    bool closing_ = false;

    std::mutex mutex_;
    std::vector<std::shared_ptr<Connection>> deliveries_;  // guarded by mutex_
    bool finished_ = false;                                // guarded by mutex_
};

}  // namespace orrery::http
