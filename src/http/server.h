// The HTTP server: one port for HTTP/1.1 and HTTPS (distinguished by the first byte), one reactor
// thread per core, connections limited in number, time and memory.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "http/message.h"

namespace orrery::http {

// The certificate chain and private key, in PEM.
struct TlsIdentity {
    std::string certificate_pem;
    std::string private_key_pem;
};

struct Limits {
    std::size_t head_bytes_max = 64UL * 1024;
    // A larger body is answered with 413 and not kept.
    std::size_t body_bytes_max = 2UL * 1024 * 1024 + 64UL * 1024;
    // When an answer precedes the end of the body, up to this much of it is read and discarded, so
    // that the connection can be used again; otherwise it is closed. A request that was not
    // admitted must also declare the length.
    std::size_t body_bytes_drained_max = 64UL * 1024 * 1024;
    std::size_t refused_body_bytes_drained_max = 64UL * 1024;

    std::size_t connections_max = 20'000;
    // Memory of all connections together. Unfinished heads of clients that are not known yet; one
    // that does not fit is answered with 503.
    std::size_t head_bytes_together_max = 64UL * 1024 * 1024;
    // Bodies of admitted requests. One that does not fit is answered with 503, unless another has
    // stalled and can be answered so instead.
    std::size_t body_bytes_together_max = 256UL * 1024 * 1024;
    // Responses that clients do not read. Above it, the slowest readers are closed.
    std::size_t response_bytes_together_max = 256UL * 1024 * 1024;

    // Answers held back at the same time (Response::delay). Above it, they are sent at once and
    // the connection is closed.
    std::size_t delayed_max = 10'000;

    std::chrono::seconds head_timeout{30};
    std::chrono::seconds body_timeout{120};
    std::chrono::seconds idle_timeout{600};
    std::chrono::seconds write_timeout{120};
};

struct ServerOptions {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;   // 0 picks a free one
    std::size_t threads = 0;  // 0 means one per core
    TlsIdentity tls;          // empty: plain HTTP only
    // PEM: TLS clients must present a certificate that one of these authorities has signed. Empty:
    // they need none.
    std::string client_authorities_pem;
    Limits limits;
};

// Memory that connections share for one purpose.
struct MemoryStats {
    std::size_t used = 0;
    std::size_t max = 0;
    std::uint64_t refusals = 0;
};

// What the server is doing and has done.
struct ServerStats {
    std::size_t connections = 0;  // open now
    std::uint64_t accepted = 0;
    std::uint64_t refused = 0;             // of those accepted, because there were too many
    std::uint64_t handshake_failures = 0;  // of TLS
    std::size_t delayed = 0;               // answers held back now
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_sent = 0;  // of responses that were begun
    // How often the handler threw. Each time is a bug, is logged and is answered with 500.
    std::uint64_t handler_exceptions = 0;
    MemoryStats heads;
    MemoryStats bodies;
    MemoryStats responses;
};

class Server {
public:
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    virtual ~Server() = default;

    // Binds, listens and serves until stop(). The handler must outlive the server.
    static Result<std::unique_ptr<Server>> start(const ServerOptions& options, Handler& handler);

    virtual std::uint16_t port() const = 0;

    // Stops accepting, closes idle connections, waits at most `patience` for exchanges in progress,
    // then closes the rest. Blocks; returns whether all exchanges could finish.
    virtual bool stop(std::chrono::seconds patience) = 0;

    virtual ServerStats stats() const = 0;

protected:
    Server() = default;
};

}  // namespace orrery::http
