#include "http/waiters.h"

#include "http/connection.h"
#include "http/reactor.h"

namespace orrery::http {

namespace {

// Without progress for this long, a connection may lose its memory to others.
constexpr Tick kStalledTicks = 2;

}  // namespace

Waiters::Waiters(ServerState& state) : state_(state) {}

Waiters::~Waiters() = default;

void Waiters::add(Connection& connection, WaitingFor what) {
    remove(connection);
    list(what).push_back(connection);
    connection.waiting_for = what;
    connection.progress_at = now_;
}

void Waiters::remove(Connection& connection) {
    if (connection.waiting_for == WaitingFor::kNothing) return;
    List& from = list(connection.waiting_for);
    from.erase(from.iterator_to(connection));
    connection.waiting_for = WaitingFor::kNothing;
}

// Unknown clients go first, so that they cannot displace known ones: those that have had time to
// send a request, or any once they are the majority. Then the longest idle client.
bool Waiters::replace_one(std::size_t connections_here) {
    Connection* const unknown = longest(WaitingFor::kFirstRequest);
    const bool many = 2 * list(WaitingFor::kFirstRequest).size() > connections_here;
    Connection* const victim = unknown != nullptr && (many || stalled(*unknown))
                                   ? unknown
                                   : longest(WaitingFor::kNextRequest);
    if (victim == nullptr) return false;
    victim->close();
    return true;
}

bool Waiters::drop_stalled_body(const Connection& except) {
    Connection* const victim = longest(WaitingFor::kBody);
    if (victim == nullptr || victim == &except || !stalled(*victim)) return false;
    victim->drop_body();
    return true;
}

void Waiters::close_slow_readers(const Connection& except) {
    while (state_.responses.exceeded()) {
        Connection* const victim = longest(WaitingFor::kReader);
        if (victim == nullptr || victim == &except) return;
        victim->abort();
    }
}

void Waiters::tick(Tick now) {
    now_ = now;
    if (const std::uint64_t refusals = state_.bodies.refusals(); refusals != refusals_seen_) {
        refusals_seen_ = refusals;
        for (Connection* victim = longest(WaitingFor::kBody); victim && stalled(*victim);
             victim = longest(WaitingFor::kBody)) {
            victim->drop_body();
        }
    }
    for (Connection* victim = longest(WaitingFor::kReader);
         victim && stalled(*victim) && state_.responses.exceeded();
         victim = longest(WaitingFor::kReader)) {
        victim->abort();
    }
}

Waiters::List& Waiters::list(WaitingFor what) { return lists_[static_cast<std::size_t>(what)]; }

Connection* Waiters::longest(WaitingFor what) {
    List& waiting = list(what);
    return waiting.empty() ? nullptr : &waiting.front();
}

bool Waiters::stalled(const Connection& connection) const {
    return now_ - connection.progress_at >= kStalledTicks;
}

}  // namespace orrery::http
