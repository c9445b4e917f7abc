// Non-blocking I/O with one client, plain or TLS: every call does what is possible now and says
// what to wait for. OpenSSL works directly on the socket, so there are no buffers in between and an
// idle connection holds none.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <boost/asio/buffer.hpp>

#include "http/socket.h"
#include "http/tls_context.h"

namespace orrery::http {

struct IoResult {
    enum class Kind : std::uint8_t { kDone, kWaitRead, kWaitWrite, kEnd };
    Kind kind;
    std::size_t bytes = 0;
};

class Transport {
public:
    explicit Transport(Socket socket);

    Socket& socket() { return socket_; }
    bool secure() const { return ssl_ != nullptr; }

    // Peeks at the first byte: 0x16 starts a TLS handshake. `first` is set if the result is kDone.
    IoResult peek(unsigned char& first);
    // Switches to TLS; false on failure.
    bool begin_tls(const TlsContext& context);
    IoResult handshake();

    IoResult read(std::span<char> into);
    // Whether bytes were taken from the socket but not read yet: the socket will not report them.
    bool has_buffered() const;
    // Writes the pieces in order; TLS gathers them in `scratch`, one record at a time.
    IoResult write(std::span<const boost::asio::const_buffer> pieces, std::span<char> scratch);

    // Ends our side; the client may still send.
    void finish_sending();
    // Reads below TLS, to discard what a client sends after finish_sending().
    IoResult read_raw(std::span<char> into);
    void close();
    // Closes with a reset, which frees what the kernel still holds to be sent.
    void abort();

private:
    IoResult tls_outcome(int returned) const;

    Socket socket_;
    SslPointer ssl_;
};

}  // namespace orrery::http
