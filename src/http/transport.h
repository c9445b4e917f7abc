// Bytes to and from one client, plain or TLS, without ever blocking: every call does what can be
// done now and says what to wait for. OpenSSL works on the socket itself, so that there are no
// buffers between the two and an idle connection holds none at all.

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

    // Looks at the first byte without taking it: 0x16 opens a TLS handshake. kDone with bytes == 1
    // means that `first` is filled.
    IoResult peek(unsigned char& first);
    // From here on the connection is TLS; false when it cannot be.
    bool begin_tls(const TlsContext& context);
    IoResult shake_hands();

    IoResult read(std::span<char> into);
    // Bytes that have left the socket but were not read yet: the socket will not report them.
    bool has_buffered() const;
    // Writes from the pieces in order; `scratch` is where TLS gathers them, a record at a time.
    IoResult write(std::span<const boost::asio::const_buffer> pieces, std::span<char> scratch);

    // No more bytes from us; the client may go on for a while.
    void finish_sending();
    // Reads past TLS, for throwing away what a client sends after finish_sending().
    IoResult read_raw(std::span<char> into);
    void close();

private:
    IoResult tls_outcome(int returned) const;

    Socket socket_;
    SslPointer ssl_;
};

}  // namespace orrery::http
