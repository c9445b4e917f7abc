#include "http/connection.h"

#include <span>
#include <utility>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>

namespace orrery::http {

namespace {

constexpr unsigned char kTlsHandshakeRecord = 0x16;
// A client above Limits::connections_max has this long to send a first byte and be refused.
constexpr std::chrono::seconds kRefusalTime{2};
// After this many full buffers a fast sender yields to the reactor's other connections.
constexpr unsigned kReadsInARow = 16;
// Idle for this long, a connection frees its memory and may be replaced by another.
constexpr Tick kTicksToRest = 2;

}  // namespace

Connection::Connection(std::shared_ptr<Reactor> reactor, Socket socket, Reactor::Purpose purpose)
    : reactor_(std::move(reactor)),
      limits_(reactor_->state().limits),
      transport_(std::move(socket)),
      request_(reactor_->state().bodies),
      head_memory_(reactor_->state().unknown_heads),
      response_memory_(reactor_->state().responses),
      deadline_(kNever),
      purpose_(purpose) {
    reactor_->add(*this);
}

Connection::~Connection() { close(); }

void Connection::start() {
    if (reactor_->draining()) return;
    const bool serve = purpose_ == Reactor::Purpose::kServe;
    if (serve) reactor_->waiters().add(*this, WaitingFor::kFirstRequest);
    set_deadline(serve ? limits_.idle_timeout : kRefusalTime);
    wait_to_read();
}

void Connection::tick() {
    if (reactor_->now() >= deadline_) {
        expire();
    } else if (state_ == State::kIdle && reactor_->now() - idle_since_ == kTicksToRest) {
        request_.release();
        unread_.release();
        if (known_) reactor_->waiters().add(*this, WaitingFor::kNextRequest);
    }
}

void Connection::expire() {
    const auto self = shared_from_this();  // close() may release the last reference
    if (state_ == State::kHead || state_ == State::kBody) {
        refuse(408, "the request did not arrive in time");
        advance();
    } else if (state_ == State::kWriting) {
        abort();
    } else {
        close();
    }
}

void Connection::drain() {
    if (state_ == State::kDelayed) {
        const auto self = shared_from_this();
        end_delay();
        return;
    }
    const bool receiving = state_ <= State::kBody;
    // A stream has no end to wait for.
    if (receiving || stream_) close();
}

void Connection::close() {
    if (state_ == State::kClosed) return;
    // Last, because this may be the last reference to the connection.
    const auto released = std::move(admitted_);
    const auto released_stream = std::move(stream_);
    const State before = std::exchange(state_, State::kClosed);
    const bool with_handler = before == State::kHandling;
    if (before == State::kDelayed) {
        --reactor_->state().delayed;
        delay_timer_->cancel();
    }
    transport_.close();
    reactor_->waiters().remove(*this);
    // Other connections may need the memory now. A handler may still use its request.
    if (!with_handler) {
        request_.discard_body();
        outgoing_.clear();
    }
    response_memory_.release();
    head_memory_.release();
    end_exchange();
    reactor_->remove(*this);
    --reactor_->state().connections;
}

bool Connection::from_loopback() {
    boost::system::error_code ec;
    const auto endpoint = transport_.socket().remote_endpoint(ec);
    if (ec) return false;
    const boost::asio::ip::address address = endpoint.address();
    // A socket that listens on all IPv6 addresses sees IPv4 clients as ::ffff:127.0.0.1.
    if (address.is_v6() && address.to_v6().is_v4_mapped()) {
        return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6())
            .is_loopback();
    }
    return address.is_loopback();
}

std::string Connection::client_address() {
    boost::system::error_code ec;
    const auto endpoint = transport_.socket().remote_endpoint(ec);
    return ec ? std::string() : endpoint.address().to_string();
}

void Connection::abort() {
    if (state_ == State::kClosed) return;
    transport_.abort();
    close();
}

void Connection::drop_body() {
    reactor_->waiters().remove(*this);
    request_.discard_body();
    body_dropped_ = true;
    boost::asio::post(reactor_->io(), [self = shared_from_this()] { self->advance(); });
}

void Connection::respond(Response response) {
    outgoing_.response = std::move(response);
    drop();
}

void Connection::respond_with(std::function<Response()> make_response) {
    make_response_ = std::move(make_response);
    drop();
}

void Connection::drop() {
    const bool here =
        reactor_->runs_here() && (reactor_->active() == nullptr || reactor_->active() == this);
    if (here) {
        resume();
    } else {
        // If the reactor has ended, nothing will call make_response_: release it.
        if (!reactor_->deliver(shared_from_this())) make_response_ = nullptr;
    }
}

void Connection::resume() {
    if (state_ != State::kHandling) {
        make_response_ = nullptr;
        return;
    }
    state_ = State::kAnswered;
    // If the handler answers inside handle(), advance() is already on the stack and continues.
    if (reactor_->active() == nullptr) advance();
}

void Connection::advance() {
    struct Activity {
        explicit Activity(Connection& connection) : reactor(*connection.reactor_) {
            reactor.set_active(&connection);
        }
        ~Activity() { reactor.set_active(nullptr); }
        Activity(const Activity&) = delete;
        Activity& operator=(const Activity&) = delete;
        Reactor& reactor;
    };
    const Activity activity(*this);
    reads_left_ = kReadsInARow;
    while (step()) {
    }
    unread_.keep();
}

bool Connection::step() {
    switch (state_) {
        case State::kGreeting:
            return greet();
        case State::kHandshake:
            return handshake();
        case State::kIdle:
        case State::kHead:
            return read_head();
        case State::kBody:
            return read_body();
        case State::kAnswered:
            return answer();
        case State::kWriting:
            return write();
        case State::kStreaming:
            return watch_reader();
        case State::kDiscarding:
            return discard();
        case State::kLingering:
            return linger();
        case State::kHandling:
        case State::kDelayed:
        case State::kClosed:
            return false;
    }
    return false;
}

bool Connection::greet() {
    unsigned char first = 0;
    const IoResult peeked = transport_.peek(first);
    if (peeked.kind != IoResult::Kind::kDone) return wait_as(peeked.kind);
    const bool tls = first == kTlsHandshakeRecord;
    if (purpose_ == Reactor::Purpose::kRefuse && !tls) {
        return refuse(503, "too many connections");
    }
    if (!tls) return become_idle();
    const auto& context = reactor_->state().tls;
    if (purpose_ == Reactor::Purpose::kRefuse || !context || !transport_.begin_tls(*context)) {
        close();
        return false;
    }
    set_deadline(limits_.head_timeout);
    state_ = State::kHandshake;
    return true;
}

bool Connection::handshake() {
    const IoResult shaken = transport_.handshake();
    if (shaken.kind == IoResult::Kind::kDone) return become_idle();
    if (shaken.kind == IoResult::Kind::kEnd) reactor_->state().handshake_failures.add(1);
    return wait_as(shaken.kind);
}

bool Connection::become_idle() {
    forget_request();
    state_ = State::kIdle;
    idle_since_ = reactor_->now();
    set_deadline(limits_.idle_timeout);
    return true;
}

bool Connection::begin_lingering() {
    transport_.finish_sending();
    unread_.clear();
    forget_request();
    state_ = State::kLingering;
    set_deadline(kLingerTime);
    return true;
}

bool Connection::linger() {
    if (!readable_ || reads_left_ == 0) {
        wait_to_read();
        return false;
    }
    --reads_left_;
    const IoResult dropped = transport_.read_raw(reactor_->read_buffer());
    lingered_bytes_ += dropped.bytes;
    if (dropped.kind == IoResult::Kind::kDone && lingered_bytes_ <= kLingerBytesMax) return true;
    return wait_as(dropped.kind == IoResult::Kind::kDone ? IoResult::Kind::kEnd : dropped.kind);
}

bool Connection::receive() {
    const bool buffered = transport_.has_buffered();
    if (reads_left_ == 0 && buffered) {
        // The socket does not report bytes that TLS has already read from it.
        boost::asio::post(reactor_->io(), [self = shared_from_this()] { self->advance(); });
        return false;
    }
    if (reads_left_ == 0 || (!readable_ && !buffered)) {
        wait_to_read();
        return false;
    }
    --reads_left_;
    // Save unparsed bytes before the buffer is reused.
    unread_.keep();
    const std::span<char> buffer = reactor_->read_buffer();
    const IoResult received = transport_.read(buffer);
    if (received.kind != IoResult::Kind::kDone) return wait_as(received.kind);
    readable_ = received.bytes == buffer.size();
    unread_.append({buffer.data(), received.bytes});
    reactor_->state().traffic.mine().received.add(received.bytes);
    return true;
}

bool Connection::wait_as(IoResult::Kind kind) {
    readable_ = false;
    if (kind == IoResult::Kind::kWaitRead) {
        wait_to_read();
    } else if (kind == IoResult::Kind::kWaitWrite) {
        wait_to_write();
    } else {
        close();
    }
    return false;
}

void Connection::wait_to_read() {
    if (std::exchange(waiting_to_read_, true)) return;
    transport_.socket().async_wait(
        Socket::wait_read, [self = shared_from_this()](const boost::system::error_code& ec) {
            self->waiting_to_read_ = false;
            self->socket_is_ready(ec);
        });
}

void Connection::wait_to_write() {
    if (std::exchange(waiting_to_write_, true)) return;
    transport_.socket().async_wait(
        Socket::wait_write, [self = shared_from_this()](const boost::system::error_code& ec) {
            self->waiting_to_write_ = false;
            self->socket_is_ready(ec);
        });
}

void Connection::socket_is_ready(const boost::system::error_code& ec) {
    if (ec) {
        close();
        return;
    }
    readable_ = true;  // also after a write: TLS may need to write before it can read
    advance();
}

void Connection::set_deadline(std::chrono::seconds patience) {
    // The current tick is already running, hence + 1.
    deadline_ = reactor_->now() + static_cast<Tick>(patience.count()) + 1;
}

}  // namespace orrery::http
