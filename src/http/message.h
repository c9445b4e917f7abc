// What an HTTP exchange is for the rest of the server: a request that can be looked at and a
// response that is handed back. Nothing here knows what the requests mean.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::http {

struct Response {
    unsigned status = 200;
    // Ready for the wire: "name: value\r\n" each. Without Content-Length, Date and Connection,
    // which the connection adds.
    std::string headers;
    // What is sent is body.substr(body_offset), so that a stored record can be sent uncopied.
    std::string body;
    std::size_t body_offset = 0;
    bool close = false;

    void add_header(std::string_view name, std::string_view value) {
        headers.append(name).append(": ").append(value).append("\r\n");
    }
};

// One request and the way to answer it. Everything the request side returns stays valid until
// respond() is called. An exchange that is let go without an answer is answered with 500.
class Exchange {
public:
    Exchange() = default;
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    virtual ~Exchange() = default;

    virtual std::string_view method() const = 0;
    // As sent: percent-encoded, with the query string.
    virtual std::string_view target() const = 0;
    // Names compare case-insensitively; the first of several is taken.
    virtual std::optional<std::string_view> header(std::string_view name) const = 0;
    // The body is the caller's to change or move away.
    virtual std::string& body() = 0;
    // A body over Limits::body_bytes_max is read and thrown away: body() is then empty.
    virtual bool body_too_large() const = 0;
    // True when the request came over TLS.
    virtual bool secure() const = 0;

    // Call exactly once, from any thread. On the connection's own thread it is sent at once.
    virtual void respond(Response response) = 0;
    // The same, but the response is made on the connection's thread: for a thread that has better
    // to do than to write headers.
    virtual void respond_with(std::function<Response()> make_response) = 0;
};

// Answers requests. handle() runs on the connection's thread and must not block: it responds at
// once or keeps the exchange and lets another thread respond.
class Handler {
public:
    Handler() = default;
    Handler(const Handler&) = delete;
    Handler& operator=(const Handler&) = delete;
    virtual ~Handler() = default;

    virtual void handle(std::shared_ptr<Exchange> exchange) = 0;

    // The answer to a request that never became one: malformed (400), too slow (408), head too
    // large (431), connection or body over the server's limits (503); and to one that handle()
    // failed on (500).
    // Runs on any connection's thread; the connection is closed afterwards.
    virtual Response refuse(unsigned status, std::string_view reason) = 0;
};

}  // namespace orrery::http
