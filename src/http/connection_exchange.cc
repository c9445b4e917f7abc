// One request and its response: the head, admission, the body, the handler, the answer, and what
// the client still sends after it.

#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/check.h"
#include "base/log.h"
#include "http/connection.h"
#include "http/exchange.h"

namespace orrery::http {

namespace {

// Smaller heads are not counted: the number of connections is limited too.
constexpr std::size_t kUncountedHeadBytes = 4096;
// A body that arrives in smaller steps counts as stalled.
constexpr std::uint64_t kBodyProgressBytes = 1024;

}  // namespace

bool Connection::read_head() {
    if (state_ == State::kIdle) {
        unread_.skip_empty_lines();
        if (unread_.empty()) return receive();
        if (known_) reactor_->waiters().remove(*this);
        state_ = State::kHead;
        set_deadline(limits_.head_timeout);
        parser_.emplace(limits_, request_);
    }
    switch (parser_->parse(unread_.bytes())) {
        case RequestParser::Progress::kNeedMore:
            return reserve_head() ? receive() : refuse(503, "too many large request heads");
        case RequestParser::Progress::kMalformed:
            return refuse(400, parser_->reason());
        case RequestParser::Progress::kHeadTooLarge:
            return refuse(431, "the request head is too large");
        case RequestParser::Progress::kHeadComplete:
        case RequestParser::Progress::kComplete:
            return admit();
    }
    return false;
}

// Known clients are not counted: clients without a key must not be able to have their requests
// refused.
bool Connection::reserve_head() {
    const std::size_t bytes = unread_.size() + request_.head_bytes();
    return known_ || bytes <= kUncountedHeadBytes || head_memory_.grow_to(bytes);
}

bool Connection::admit() {
    keep_alive_ = parser_->keeps_alive();
    http_1_1_ = parser_->is_http_1_1();
    state_ = State::kHandling;
    deadline_ = kNever;
    in_exchange_ = true;
    reactor_->exchange_began();
    call_handler([this] {
        admitted_ = reactor_->state().handler.admit(
            std::make_shared<ConnectionExchange>(shared_from_this()));
    });
    request_admitted_ = admitted_ != nullptr;
    if (!request_admitted_) return state_ != State::kHandling;
    CHECK(state_ == State::kHandling);
    if (!std::exchange(known_, true)) {
        reactor_->waiters().remove(*this);
        head_memory_.release();
    }
    if (parser_->complete() || request_.body_too_large) return hand_over();
    state_ = State::kBody;
    body_bytes_noted_ = 0;
    set_deadline(limits_.body_timeout);
    if (parser_->expects_continue() && unread_.empty()) {
        outgoing_.start_interim();
        after_write_ = AfterWrite::kBody;
        state_ = State::kWriting;
    }
    return true;
}

bool Connection::read_body() {
    if (body_dropped_) return refuse(503, "request-body memory limit reached; retry later");
    if (unread_.empty()) return receive();
    if (!reserve_body()) return refuse(503, "request-body memory limit reached; retry later");
    const RequestParser::Progress progress = parser_->parse(unread_.bytes());
    if (progress == RequestParser::Progress::kMalformed) return refuse(400, parser_->reason());
    if (progress == RequestParser::Progress::kHeadTooLarge) {
        return refuse(431, "the request trailer is too large");
    }
    if (progress == RequestParser::Progress::kComplete || request_.body_too_large) {
        return hand_over();
    }
    note_body_progress();
    return receive();
}

bool Connection::reserve_body() {
    while (!parser_->reserve_body(unread_.bytes())) {
        if (!reactor_->waiters().drop_stalled_body(*this)) return false;
    }
    return true;
}

void Connection::note_body_progress() {
    const bool noted = waiting_for == WaitingFor::kBody;
    if (noted && parser_->body_bytes() < body_bytes_noted_ + kBodyProgressBytes) return;
    body_bytes_noted_ = parser_->body_bytes();
    reactor_->waiters().add(*this, WaitingFor::kBody);
}

bool Connection::hand_over() {
    reactor_->waiters().remove(*this);
    state_ = State::kHandling;
    deadline_ = kNever;
    call_handler([admitted = std::move(admitted_)] { admitted->handle(); });
    return state_ != State::kHandling;
}

// Unwinding destroys the exchange, which answers 500, unless another thread holds it.
template <typename Call>
void Connection::call_handler(Call call) {
    try {
        call();
    } catch (const std::exception& e) {
        ++reactor_->state().handler_exceptions;
        log::error("handler_exception", {{"what", e.what()}});
    } catch (...) {
        ++reactor_->state().handler_exceptions;
        log::error("handler_exception", {{"what", "unknown"}});
    }
}

bool Connection::refuse(unsigned status, std::string_view reason) {
    keep_alive_ = false;
    admitted_.reset();
    request_.discard_body();
    outgoing_.response.reset();
    call_handler([&] { outgoing_.response = reactor_->state().handler.refuse(status, reason); });
    if (outgoing_.response) return send();
    close();
    return false;
}

bool Connection::answer() {
    if (make_response_) {
        call_handler([this] { outgoing_.response = std::exchange(make_response_, nullptr)(); });
    }
    if (!outgoing_.response) return refuse(500, "the handler did not answer the request");
    return !hold_back() && send();
}

// Whether the response is to be sent later.
bool Connection::hold_back() {
    const auto delay = std::exchange(outgoing_.response->delay, {});
    if (delay.count() <= 0 || reactor_->draining()) return false;
    std::atomic<std::size_t>& delayed = reactor_->state().delayed;
    if (++delayed > limits_.delayed_max) {
        --delayed;
        outgoing_.response->close = true;
        return false;
    }
    state_ = State::kDelayed;
    if (!delay_timer_) delay_timer_ = std::make_unique<Timer>(reactor_->io());
    delay_timer_->expires_after(delay);
    delay_timer_->async_wait([self = shared_from_this()](const boost::system::error_code& ec) {
        if (!ec) self->end_delay();
    });
    return true;
}

void Connection::end_delay() {
    if (state_ != State::kDelayed) return;
    --reactor_->state().delayed;
    delay_timer_->cancel();
    state_ = State::kAnswered;
    advance();
}

bool Connection::send() {
    if (!request_.is_head()) stream_ = outgoing_.response->stream;
    const bool close_after = !keep_alive_ || outgoing_.response->close ||
                             outgoing_.response->stream || reactor_->draining() ||
                             !can_discard_body();
    outgoing_.start(
        {.date = reactor_->date(), .close = close_after, .announce_keep_alive = !http_1_1_},
        request_.is_head());
    reactor_->state().traffic.mine().sent.add(outgoing_.bytes_left());
    after_write_ = close_after ? AfterWrite::kLinger : AfterWrite::kNextRequest;
    if (stream_) after_write_ = AfterWrite::kPiece;
    state_ = State::kWriting;
    set_deadline(limits_.write_timeout);
    return true;
}

// Whether the rest of the body, if any, is small enough to keep the connection for it.
bool Connection::can_discard_body() const {
    if (parser_->complete()) return true;
    // A client that waits for "100 Continue" may never send its body.
    if (parser_->expects_continue()) return false;
    const auto declared = parser_->declared_bytes();
    if (request_admitted_) return declared.value_or(0) <= limits_.body_bytes_drained_max;
    return declared && *declared <= limits_.refused_body_bytes_drained_max;
}

bool Connection::write() {
    const std::size_t bytes_left = outgoing_.bytes_left();
    const IoResult written = outgoing_.write(transport_, reactor_->write_buffer());
    if (written.kind != IoResult::Kind::kDone) {
        if (after_write_ != AfterWrite::kBody) note_write_progress(bytes_left);
        return wait_as(written.kind);
    }
    if (after_write_ == AfterWrite::kBody) {
        state_ = State::kBody;
        return true;
    }
    return after_write_ == AfterWrite::kPiece ? want_piece() : finish_exchange();
}

// A response counts from the moment that the client falls behind.
void Connection::note_write_progress(std::size_t bytes_left_before) {
    const bool counted = !response_memory_.empty();
    if (!counted) response_memory_.add(outgoing_.bytes_held());
    if (counted && outgoing_.bytes_left() == bytes_left_before) return;
    reactor_->waiters().add(*this, WaitingFor::kReader);
    if (!counted) reactor_->waiters().close_slow_readers(*this);
}

bool Connection::want_piece() {
    outgoing_.clear();
    response_memory_.release();
    reactor_->waiters().remove(*this);
    state_ = State::kStreaming;
    deadline_ = kNever;
    // The stream may outlive the connection, but keeps the reactor.
    stream_->next([reactor = reactor_, weak = weak_from_this()](std::string piece) {
        boost::asio::post(reactor->io(), [weak, piece = std::move(piece)]() mutable {
            if (const auto self = weak.lock()) self->send_piece(std::move(piece));
        });
    });
    return true;
}

void Connection::send_piece(std::string piece) {
    if (state_ != State::kStreaming) return;
    if (piece.empty()) {
        after_write_ = AfterWrite::kLinger;
        finish_exchange();
    } else {
        reactor_->state().traffic.mine().sent.add(piece.size());
        outgoing_.start_piece(std::move(piece));
        state_ = State::kWriting;
        set_deadline(limits_.write_timeout);
    }
    advance();
}

// Notices that the client is gone. Whatever it sends is discarded: there will be no next request.
bool Connection::watch_reader() {
    if ((!readable_ && !transport_.has_buffered()) || reads_left_ == 0) {
        wait_to_read();
        return false;
    }
    --reads_left_;
    const std::span<char> buffer = reactor_->read_buffer();
    const IoResult received = transport_.read(buffer);
    if (received.kind != IoResult::Kind::kDone) return wait_as(received.kind);
    readable_ = received.bytes == buffer.size();
    return true;
}

bool Connection::finish_exchange() {
    stream_.reset();
    outgoing_.clear();
    response_memory_.release();
    end_exchange();
    if (known_) {
        reactor_->waiters().remove(*this);
    } else if (waiting_for == WaitingFor::kReader) {
        reactor_->waiters().add(*this, WaitingFor::kFirstRequest);
    }
    if (after_write_ == AfterWrite::kLinger) return begin_lingering();
    if (parser_->complete()) return become_idle();
    request_.discard_body();
    state_ = State::kDiscarding;
    set_deadline(request_admitted_ ? limits_.body_timeout : kLingerTime);
    return true;
}

void Connection::end_exchange() {
    if (!std::exchange(in_exchange_, false)) return;
    reactor_->exchange_ended();
}

// A client that is not known keeps no memory.
void Connection::forget_request() {
    if (known_) {
        request_.clear();
    } else {
        request_.release();
        head_memory_.release();
    }
    parser_.reset();
    body_dropped_ = false;
}

bool Connection::discard() {
    if (unread_.empty()) return receive();
    switch (parser_->parse(unread_.bytes())) {
        case RequestParser::Progress::kComplete:
            return reactor_->draining() ? begin_lingering() : become_idle();
        case RequestParser::Progress::kMalformed:
        case RequestParser::Progress::kHeadTooLarge:
            return begin_lingering();
        case RequestParser::Progress::kNeedMore:
        case RequestParser::Progress::kHeadComplete:
            break;
    }
    // Only a chunked body can turn out to be larger than expected.
    const bool enough = parser_->body_bytes() > limits_.body_bytes_drained_max;
    return enough ? begin_lingering() : receive();
}

}  // namespace orrery::http
