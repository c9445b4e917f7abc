// An HTTP exchange as the rest of the server sees it: a request to read and a response to return.
// Independent of what requests mean.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::http {

// A body of unknown length, sent piece by piece as it becomes available. Released when it has ended
// or the client is gone.
class BodyStream {
public:
    // An empty piece ends the response.
    using Deliver = std::function<void(std::string piece)>;

    BodyStream() = default;
    BodyStream(const BodyStream&) = delete;
    BodyStream& operator=(const BodyStream&) = delete;
    virtual ~BodyStream() = default;

    // Asks for the next piece. Called on the connection's thread when the one before is sent; must
    // not block. `deliver` is called once, from any thread.
    virtual void next(Deliver deliver) = 0;
};

struct Response {
    unsigned status = 200;
    // In wire format: "name: value\r
    // " each. Excludes Content-Length, Date and Connection, which the connection adds.
    std::string headers;
    // Sends body.substr(body_offset), so that a stored record can be sent without copying.
    std::string body;
    std::size_t body_offset = 0;
    // Precedes the body and counts as a part of it, so that nothing has to be inserted into a large
    // one. Short: it is copied.
    std::string body_begin;
    bool close = false;
    // Sent only after this time, during which no further request of the client is read. For
    // answers that should not be had quickly.
    std::chrono::milliseconds delay{};
    // The body, instead of the one above. The connection is closed after it.
    std::shared_ptr<BodyStream> stream;

    void add_header(std::string_view name, std::string_view value) {
        const std::size_t at = headers.size();
        headers.resize(at + name.size() + value.size() + 4);
        char* to = std::copy(name.begin(), name.end(), headers.data() + at);
        *to++ = ':';
        *to++ = ' ';
        to = std::copy(value.begin(), value.end(), to);
        *to++ = '\r';
        *to = '\n';
    }
};

// One request and the means to answer it. Request data stays valid until respond() is called.
// Destroying an exchange unanswered answers 500. The body arrives between Handler::admit() and
// AdmittedRequest::handle(); before, it is empty.
class Exchange {
public:
    Exchange() = default;
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    virtual ~Exchange() = default;

    virtual std::string_view method() const = 0;
    // As sent: percent-encoded, with the query string.
    virtual std::string_view target() const = 0;
    // Names are case-insensitive; the first of several wins.
    virtual std::optional<std::string_view> header(std::string_view name) const = 0;
    // Calls back for each header as sent, in order.
    using HeaderVisitor = std::function<void(std::string_view name, std::string_view value)>;
    virtual void for_each_header(const HeaderVisitor& visit) const = 0;
    // The caller may change the body or move it out.
    virtual std::string& body() = 0;
    // The body exceeds Limits::body_bytes_max, by its declared length or by what has arrived; then
    // body() is empty.
    virtual bool body_too_large() const = 0;
    // Whether the request came over TLS.
    virtual bool secure() const = 0;
    // Whether the client connected from this machine. Only during Handler::admit().
    virtual bool from_loopback() const = 0;
    // Where it connected from, such as 10.1.2.3; empty if it is gone. Only during Handler::admit().
    virtual std::string client_address() const = 0;

    // Call exactly once, from any thread. On the connection's own thread it is sent at once.
    virtual void respond(Response response) = 0;
    // The same, but the response is made on the connection's thread: keeps header formatting off
    // the executor threads.
    virtual void respond_with(std::function<Response()> make_response) = 0;
};

// A request whose head has been accepted: what the handler keeps until the body has arrived.
class AdmittedRequest {
public:
    AdmittedRequest() = default;
    AdmittedRequest(const AdmittedRequest&) = delete;
    AdmittedRequest& operator=(const AdmittedRequest&) = delete;
    virtual ~AdmittedRequest() = default;

    // Called once, when the body has arrived or is too large. Runs on the connection's thread and
    // must not block: it answers immediately, or keeps the exchange for another thread to answer.
    virtual void handle() = 0;
};

// Answers requests in two steps, so that the body of a request that is refused takes no memory.
class Handler {
public:
    Handler() = default;
    Handler(const Handler&) = delete;
    Handler& operator=(const Handler&) = delete;
    virtual ~Handler() = default;

    // Decides on the head alone, before any of the body is read. Returns the request if its body is
    // wanted. Otherwise it answers, with the contract of AdmittedRequest::handle(), and returns
    // null; the connection discards a small body and closes on a large one. The exchange of an
    // admitted request must not be answered before handle(), and is destroyed if the body does not
    // arrive.
    virtual std::shared_ptr<AdmittedRequest> admit(std::shared_ptr<Exchange> exchange) = 0;

    // The response to a request that is malformed (400), too slow (408), has too large a head (431)
    // or exceeds the server's connection or memory limits (503), or that the handler failed on
    // (500). Called on any connection's thread; the connection is then closed.
    virtual Response refuse(unsigned status, std::string_view reason) = 0;
};

}  // namespace orrery::http
