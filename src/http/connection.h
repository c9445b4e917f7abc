// One client connection: a state machine that reads a request, passes it to the handler, writes the
// response and starts over. Reactor thread only, except respond(), respond_with() and drop().

#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/buffer.hpp>

#include "http/message.h"
#include "http/reactor.h"
#include "http/request.h"
#include "http/request_parser.h"
#include "http/response_head.h"
#include "http/transport.h"

namespace orrery::http {

class Connection final : public std::enable_shared_from_this<Connection>, public ListHook {
public:
    Connection(std::shared_ptr<Reactor> reactor, Socket socket, Reactor::Purpose purpose);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();

    void start();
    void tick();
    // Accepts no further request; closes now if none is in progress.
    void drain();
    void close();
    // Continues after respond() or drop(), on the reactor's thread.
    void resume();

    // Exactly one of these per exchange, from any thread.
    void respond(Response response);
    void respond_with(std::function<Response()> make_response);
    void drop();

    Request& request() { return request_; }
    bool secure() const { return transport_.secure(); }
    bool in_exchange() const { return in_exchange_; }

private:
    enum class State : std::uint8_t {
        kGreeting,   // nothing received yet: HTTP or TLS?
        kHandshake,  // TLS
        kIdle,       // between requests
        kHead,
        kBody,
        kHandling,  // the handler has the request
        kAnswered,  // answered, but nothing sent yet
        kWriting,
        kLingering,  // all sent; discards further input
        kClosed,
    };

    // What to do after writing all of pieces_.
    enum class AfterWrite : std::uint8_t { kNextRequest, kBody, kLinger };

    using Piece = boost::asio::const_buffer;

    // advance() runs steps until one returns false: nothing more can be done now.
    void advance();
    bool step();
    bool greet();
    bool handshake();
    bool read_head();
    bool read_body();
    bool take_head();
    bool send_continue();
    bool hand_over();
    bool write();
    bool finish_exchange();
    bool linger();

    bool refuse(unsigned status, std::string_view reason);
    bool answer();
    bool send();
    bool begin_lingering();
    bool become_idle();

    bool receive();
    void keep_unread();
    bool wait_as(IoResult::Kind kind);
    void wait_to_read();
    void wait_to_write();
    void socket_is_ready(const boost::system::error_code& ec);
    void expire();
    void end_exchange();
    void set_deadline(std::chrono::seconds patience);

    const std::shared_ptr<Reactor> reactor_;
    const Limits& limits_;
    Transport transport_;
    Request request_;
    std::optional<RequestParser> parser_;

    // Bytes received but not parsed: in the reactor's buffer during advance(), otherwise in kept_.
    std::string_view unread_;
    std::string kept_;
    bool unread_is_kept_ = false;

    std::optional<Response> response_;
    // Holds the exchange, which holds this connection: must always be released.
    std::function<Response()> make_response_;
    ResponseHead head_;
    std::array<Piece, 3> pieces_;
    std::size_t pieces_begin_ = 0;
    std::size_t pieces_end_ = 0;

    Tick deadline_;
    Tick idle_since_ = 0;
    std::size_t lingered_bytes_ = 0;
    unsigned reads_left_ = 0;
    State state_ = State::kGreeting;
    AfterWrite after_write_ = AfterWrite::kNextRequest;
    const Reactor::Purpose purpose_;
    bool readable_ = false;
    bool waiting_to_read_ = false;
    bool waiting_to_write_ = false;
    bool in_exchange_ = false;
    bool keep_alive_ = false;
    bool http_1_1_ = true;
};

}  // namespace orrery::http
