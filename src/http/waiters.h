// The connections of one reactor that wait for their client, and which of them to close when
// memory or connections run short: those that have waited longest. Reactor thread only.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <boost/intrusive/list.hpp>

namespace orrery::http {

class Connection;
struct ServerState;

// The reactor's clock: one tick per second, precise enough for deadlines.
using Tick = std::uint64_t;

enum class WaitingFor : std::uint8_t {
    kFirstRequest,  // no request of this client has been admitted yet
    kNextRequest,   // idle, after an admitted request
    kBody,          // of an admitted request
    kReader,        // the client does not read its response
    kNothing,
};

// The base of Connection that Waiters uses.
struct Waiter : boost::intrusive::list_base_hook<boost::intrusive::tag<Waiter>> {
    WaitingFor waiting_for = WaitingFor::kNothing;
    Tick progress_at = 0;
};

class Waiters {
public:
    explicit Waiters(ServerState& state);
    Waiters(const Waiters&) = delete;
    Waiters& operator=(const Waiters&) = delete;
    ~Waiters();

    // The connection has just made progress: puts it at the end of the list.
    void add(Connection& connection, WaitingFor what);
    void remove(Connection& connection);

    // Closes the connection that a new one may replace; false if there is none.
    bool replace_one(std::size_t connections_here);
    // Drops the body of another connection that has stalled; false if there is none.
    bool drop_stalled_body(const Connection& except);
    // While responses exceed their budget, closes the slowest readers other than `except`.
    void close_slow_readers(const Connection& except);

    // Once a second. Other reactors may be short of memory that connections of this one hold.
    void tick(Tick now);

private:
    using List =
        boost::intrusive::list<Connection,
                               boost::intrusive::base_hook<boost::intrusive::list_base_hook<
                                   boost::intrusive::tag<Waiter>>>>;

    List& list(WaitingFor what);
    Connection* longest(WaitingFor what);
    bool stalled(const Connection& connection) const;

    ServerState& state_;
    std::array<List, static_cast<std::size_t>(WaitingFor::kNothing)> lists_;
    Tick now_ = 0;
    std::uint64_t refusals_seen_ = 0;
};

}  // namespace orrery::http
