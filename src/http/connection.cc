#include "http/connection.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/log.h"
#include "http/exchange.h"

namespace orrery::http {

namespace {

constexpr unsigned char kTlsHandshakeRecord = 0x16;
constexpr Tick kNever = std::numeric_limits<Tick>::max();
// How long and how much a client may keep sending after its last response.
constexpr std::chrono::seconds kLingerTime{2};
constexpr std::size_t kLingerBytesMax = 1024UL * 1024;
// A client above Limits::connections_max has this long to send a first byte and be refused.
constexpr std::chrono::seconds kRefusalTime{2};
// After this many full buffers a fast sender yields to the reactor's other connections.
constexpr unsigned kReadsInARow = 16;
constexpr Tick kTicksToReleaseMemory = 2;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

boost::asio::const_buffer piece_of(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

Connection::Connection(std::shared_ptr<Reactor> reactor, Socket socket, Reactor::Purpose purpose)
    : reactor_(std::move(reactor)),
      limits_(reactor_->state().limits),
      transport_(std::move(socket)),
      request_(reactor_->state().bodies),
      deadline_(kNever),
      purpose_(purpose) {
    reactor_->add(*this);
}

Connection::~Connection() { close(); }

void Connection::start() {
    if (reactor_->draining()) return;
    set_deadline(purpose_ == Reactor::Purpose::kServe ? limits_.idle_timeout : kRefusalTime);
    wait_to_read();
}

void Connection::tick() {
    if (reactor_->now() >= deadline_) {
        expire();
    } else if (state_ == State::kIdle && reactor_->now() - idle_since_ == kTicksToReleaseMemory) {
        request_.release();
        kept_.clear();
        kept_.shrink_to_fit();
    }
}

void Connection::expire() {
    const auto self = shared_from_this();  // close() may release the last reference
    if (state_ == State::kHead || state_ == State::kBody) {
        refuse(408, "the request did not arrive in time");
        advance();
    } else {
        close();
    }
}

void Connection::drain() {
    const bool receiving = state_ <= State::kBody;
    if (receiving) close();
}

void Connection::close() {
    if (state_ == State::kClosed) return;
    state_ = State::kClosed;
    transport_.close();
    end_exchange();
    reactor_->remove(*this);
    --reactor_->state().connections;
}

void Connection::respond(Response response) {
    response_ = std::move(response);
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
    keep_unread();
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
        case State::kLingering:
            return linger();
        case State::kHandling:
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
    return shaken.kind == IoResult::Kind::kDone ? become_idle() : wait_as(shaken.kind);
}

bool Connection::become_idle() {
    state_ = State::kIdle;
    idle_since_ = reactor_->now();
    set_deadline(limits_.idle_timeout);
    return true;
}

bool Connection::read_head() {
    if (state_ == State::kIdle) {
        // RFC 9112 §2.2: ignore empty lines before a request.
        unread_.remove_prefix(std::min(unread_.find_first_not_of("\r\n"), unread_.size()));
        if (unread_.empty()) return receive();
        state_ = State::kHead;
        set_deadline(limits_.head_timeout);
        parser_.emplace(limits_, request_);
    }
    switch (parser_->parse(unread_)) {
        case RequestParser::Progress::kNeedMore:
            return receive();
        case RequestParser::Progress::kMalformed:
            return refuse(400, parser_->reason());
        case RequestParser::Progress::kHeadTooLarge:
            return refuse(431, "the request head is too large");
        case RequestParser::Progress::kHeadComplete:
        case RequestParser::Progress::kComplete:
            return take_head();
    }
    return false;
}

bool Connection::take_head() {
    keep_alive_ = parser_->keeps_alive();
    http_1_1_ = parser_->is_http_1_1();
    if (parser_->complete()) return hand_over();
    // Do not ask a waiting client for a body that will be discarded, and do not read one that is
    // too large even to discard.
    const std::uint64_t declared = parser_->declared_bytes();
    const std::uint64_t wanted =
        parser_->expects_continue() ? limits_.body_bytes_max : limits_.body_bytes_drained_max;
    if (declared > wanted) {
        request_.body_too_large = true;
        keep_alive_ = false;
        return hand_over();
    }
    state_ = State::kBody;
    set_deadline(limits_.body_timeout);
    return parser_->expects_continue() && unread_.empty() ? send_continue() : true;
}

bool Connection::send_continue() {
    pieces_[0] = piece_of(kContinue);
    pieces_begin_ = 0;
    pieces_end_ = 1;
    after_write_ = AfterWrite::kBody;
    state_ = State::kWriting;
    return true;
}

bool Connection::read_body() {
    if (unread_.empty()) return receive();
    const RequestParser::Progress progress = parser_->parse(unread_);
    if (progress == RequestParser::Progress::kMalformed) return refuse(400, parser_->reason());
    if (progress == RequestParser::Progress::kHeadTooLarge) {
        return refuse(431, "the request trailer is too large");
    }
    if (progress == RequestParser::Progress::kComplete) return hand_over();
    if (parser_->body_bytes() > limits_.body_bytes_drained_max) {
        keep_alive_ = false;
        return hand_over();
    }
    return receive();
}

bool Connection::hand_over() {
    if (request_.body_over_budget && !request_.body_too_large) {
        return refuse(503, "request-body memory limit reached; retry later");
    }
    ServerState& server = reactor_->state();
    state_ = State::kHandling;
    deadline_ = kNever;
    in_exchange_ = true;
    reactor_->exchange_began();
    // Unwinding destroys the exchange, which answers 500, unless another thread holds it.
    try {
        server.handler.handle(std::make_shared<ConnectionExchange>(shared_from_this()));
    } catch (const std::exception& e) {
        ++server.handler_exceptions;
        log::error("handler_exception", {{"what", e.what()}});
    } catch (...) {
        ++server.handler_exceptions;
        log::error("handler_exception", {{"what", "unknown"}});
    }
    return state_ != State::kHandling;
}

bool Connection::refuse(unsigned status, std::string_view reason) {
    ServerState& server = reactor_->state();
    keep_alive_ = false;
    try {
        response_ = server.handler.refuse(status, reason);
    } catch (const std::exception& e) {
        ++server.handler_exceptions;
        log::error("handler_exception", {{"what", e.what()}});
        close();
        return false;
    }
    return send();
}

bool Connection::answer() {
    if (make_response_) {
        try {
            response_ = std::exchange(make_response_, nullptr)();
        } catch (const std::exception& e) {
            ++reactor_->state().handler_exceptions;
            log::error("handler_exception", {{"what", e.what()}});
        }
    }
    return response_ ? send() : refuse(500, "the handler did not answer the request");
}

bool Connection::send() {
    const bool close_after = !keep_alive_ || response_->close || reactor_->draining();
    const std::string_view body =
        std::string_view(response_->body)
            .substr(std::min(response_->body_offset, response_->body.size()));
    head_.write({.status = response_->status,
                 .date = reactor_->date(),
                 .content_length = body.size(),
                 .close = close_after,
                 .announce_keep_alive = !http_1_1_});
    response_->headers.append("\r\n");
    pieces_ = {piece_of(head_.text()), piece_of(response_->headers), piece_of(body)};
    const bool with_body = !body.empty() && !request_.is_head() && !has_no_body(response_->status);
    pieces_begin_ = 0;
    pieces_end_ = with_body ? 3 : 2;
    after_write_ = close_after ? AfterWrite::kLinger : AfterWrite::kNextRequest;
    state_ = State::kWriting;
    set_deadline(limits_.write_timeout);
    return true;
}

bool Connection::write() {
    while (pieces_begin_ < pieces_end_) {
        const IoResult written =
            transport_.write(std::span(pieces_).subspan(pieces_begin_, pieces_end_ - pieces_begin_),
                             reactor_->write_buffer());
        if (written.kind != IoResult::Kind::kDone) return wait_as(written.kind);
        std::size_t bytes = written.bytes;
        while (pieces_begin_ < pieces_end_ && bytes >= pieces_[pieces_begin_].size()) {
            bytes -= pieces_[pieces_begin_++].size();
        }
        if (pieces_begin_ < pieces_end_) pieces_[pieces_begin_] += bytes;
    }
    if (after_write_ == AfterWrite::kBody) {
        state_ = State::kBody;
        return true;
    }
    return finish_exchange();
}

bool Connection::finish_exchange() {
    response_.reset();
    request_.clear();
    parser_.reset();
    end_exchange();
    return after_write_ == AfterWrite::kLinger ? begin_lingering() : become_idle();
}

void Connection::end_exchange() {
    if (!std::exchange(in_exchange_, false)) return;
    reactor_->exchange_ended();
}

bool Connection::begin_lingering() {
    transport_.finish_sending();
    unread_ = {};
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
    keep_unread();
    const std::span<char> buffer = reactor_->read_buffer();
    const IoResult received = transport_.read(buffer);
    if (received.kind != IoResult::Kind::kDone) return wait_as(received.kind);
    readable_ = received.bytes == buffer.size();
    const std::string_view fresh(buffer.data(), received.bytes);
    if (unread_.empty()) {
        unread_ = fresh;
        unread_is_kept_ = false;
    } else {
        kept_.append(fresh);
        unread_ = kept_;
    }
    return true;
}

// Afterwards unread_ equals kept_, or is empty.
void Connection::keep_unread() {
    if (unread_.empty()) {
        kept_.clear();
    } else if (unread_is_kept_) {
        kept_.erase(0, kept_.size() - unread_.size());
    } else {
        kept_.assign(unread_);
    }
    unread_ = kept_;
    unread_is_kept_ = true;
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
