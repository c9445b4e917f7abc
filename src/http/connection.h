// One client connection: a state machine that reads a head, has the handler admit it, reads the
// body, passes the request to the handler, writes the response and starts over. Reactor thread
// only, except respond(), respond_with() and drop().

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/memory_budget.h"
#include "http/message.h"
#include "http/outgoing.h"
#include "http/reactor.h"
#include "http/request.h"
#include "http/request_parser.h"
#include "http/transport.h"
#include "http/unread.h"
#include "http/waiters.h"

namespace orrery::http {

class Connection final : public std::enable_shared_from_this<Connection>,
                         public ListHook,
                         public Waiter {
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
    // Closes a connection whose client does not read its response, without leaving the response to
    // the kernel.
    void abort();
    // Frees the memory of an arriving body at once, for others; the client gets a 503.
    void drop_body();
    // Continues after respond() or drop(), on the reactor's thread.
    void resume();

    // Exactly one of these per exchange, from any thread.
    void respond(Response response);
    void respond_with(std::function<Response()> make_response);
    void drop();

    Request& request() { return request_; }
    bool secure() const { return transport_.secure(); }
    // Reactor thread only. False if the client is gone.
    bool from_loopback();
    std::string client_address();
    bool in_exchange() const { return in_exchange_; }

private:
    enum class State : std::uint8_t {
        kGreeting,   // nothing received yet: HTTP or TLS?
        kHandshake,  // TLS
        kIdle,       // between requests
        kHead,
        kBody,      // of an admitted request
        kHandling,  // the handler has the request
        kAnswered,  // answered, but nothing sent yet
        kDelayed,   // the same, but the answer is held back
        kWriting,
        kStreaming,   // waits for the next piece of the body
        kDiscarding,  // all sent; discards the rest of the body
        kLingering,   // all sent; discards further input
        kClosed,
    };

    static constexpr Tick kNever = std::numeric_limits<Tick>::max();
    // How long and how much a client may keep sending after a response that did not wait for it.
    // Enough to finish a body of the allowed size: closing earlier resets the connection, and the
    // client may lose the response.
    static constexpr std::chrono::seconds kLingerTime{5};
    static constexpr std::size_t kLingerBytesMax = 4UL * 1024 * 1024;

    // What to do after writing.
    enum class AfterWrite : std::uint8_t { kNextRequest, kBody, kLinger, kPiece };

    // advance() runs steps until one returns false: nothing more can be done now.
    void advance();
    bool step();
    bool greet();
    bool handshake();
    bool read_head();
    bool admit();
    bool read_body();
    bool hand_over();
    bool write();
    bool want_piece();
    void send_piece(std::string piece);
    bool watch_reader();
    bool finish_exchange();
    bool discard();
    bool linger();

    bool refuse(unsigned status, std::string_view reason);
    bool answer();
    bool hold_back();
    void end_delay();
    bool send();
    bool begin_lingering();
    bool become_idle();

    bool reserve_head();
    bool reserve_body();
    bool can_discard_body() const;
    void note_body_progress();
    void note_write_progress(std::size_t bytes_left_before);
    void forget_request();
    template <typename Call>
    void call_handler(Call call);

    bool receive();
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
    Unread unread_;
    MemoryHold head_memory_;

    // While the body arrives. Holds the exchange, which holds this connection: must always be
    // released.
    std::shared_ptr<AdmittedRequest> admitted_;
    // Holds the exchange as well.
    std::function<Response()> make_response_;
    Outgoing outgoing_;
    std::shared_ptr<BodyStream> stream_;  // of the response being sent
    MemoryHold response_memory_;
    std::unique_ptr<Timer> delay_timer_;  // once an answer was delayed

    Tick deadline_;
    Tick idle_since_ = 0;
    std::uint64_t body_bytes_noted_ = 0;
    std::size_t lingered_bytes_ = 0;
    unsigned reads_left_ = 0;
    State state_ = State::kGreeting;
    AfterWrite after_write_ = AfterWrite::kNextRequest;
    const Reactor::Purpose purpose_;
    bool readable_ = false;
    bool waiting_to_read_ = false;
    bool waiting_to_write_ = false;
    bool in_exchange_ = false;
    bool known_ = false;             // a request of this client has been admitted
    bool request_admitted_ = false;  // this request has been admitted
    bool body_dropped_ = false;
    bool keep_alive_ = false;
    bool http_1_1_ = true;
};

}  // namespace orrery::http
