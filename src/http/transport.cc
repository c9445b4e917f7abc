#include "http/transport.h"

#include <algorithm>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <utility>

#include <boost/asio/error.hpp>
#include <openssl/err.h>

namespace orrery::http {

namespace asio = boost::asio;
using Kind = IoResult::Kind;

namespace {

// What the kernel may hold of a response and not have sent yet. By default that is megabytes on
// fast networks, which would escape the limit on responses that clients do not read.
constexpr int kUnsentBytesMax = 256 * 1024;

using UnsentBytesMax = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>;

bool is_would_block(const boost::system::error_code& ec) {
    return ec == asio::error::would_block || ec == asio::error::try_again ||
           ec == asio::error::interrupted;
}

}  // namespace

Transport::Transport(Socket socket) : socket_(std::move(socket)) {
    boost::system::error_code ignored;
    socket_.non_blocking(true, ignored);
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
    socket_.set_option(UnsentBytesMax(kUnsentBytesMax), ignored);
}

IoResult Transport::peek(unsigned char& first) {
    boost::system::error_code ec;
    const std::size_t count = socket_.receive(asio::buffer(&first, 1), Socket::message_peek, ec);
    if (is_would_block(ec)) return {Kind::kWaitRead};
    if (ec || count == 0) return {Kind::kEnd};
    return {Kind::kDone, count};
}

bool Transport::begin_tls(const TlsContext& context) {
    ssl_ = context.accept_on(socket_.native_handle());
    return ssl_ != nullptr;
}

IoResult Transport::handshake() {
    ERR_clear_error();
    return tls_outcome(SSL_do_handshake(ssl_.get()));
}

IoResult Transport::read(std::span<char> into) {
    if (!ssl_) return read_raw(into);
    ERR_clear_error();
    return tls_outcome(SSL_read(ssl_.get(), into.data(), static_cast<int>(into.size())));
}

bool Transport::has_buffered() const { return ssl_ && SSL_has_pending(ssl_.get()) == 1; }

IoResult Transport::write(std::span<const asio::const_buffer> pieces, std::span<char> scratch) {
    if (!ssl_) {
        boost::system::error_code ec;
        const std::size_t count = socket_.write_some(pieces, ec);
        if (is_would_block(ec)) return {Kind::kWaitWrite};
        if (ec) return {Kind::kEnd};
        return {Kind::kDone, count};
    }
    // OpenSSL requires a repeated write to offer the same bytes. Gathering again does: nothing is
    // removed from the pieces until bytes are reported as written.
    std::size_t gathered = 0;
    for (const asio::const_buffer& piece : pieces) {
        const std::size_t count = std::min(piece.size(), scratch.size() - gathered);
        const auto* const bytes = static_cast<const char*>(piece.data());
        std::copy(bytes, bytes + count, scratch.data() + gathered);
        gathered += count;
    }
    ERR_clear_error();
    return tls_outcome(SSL_write(ssl_.get(), scratch.data(), static_cast<int>(gathered)));
}

void Transport::finish_sending() {
    boost::system::error_code ignored;
    if (ssl_ && SSL_is_init_finished(ssl_.get())) {
        ERR_clear_error();
        SSL_shutdown(ssl_.get());
    }
    socket_.shutdown(Socket::shutdown_send, ignored);
}

IoResult Transport::read_raw(std::span<char> into) {
    boost::system::error_code ec;
    const std::size_t count = socket_.read_some(asio::buffer(into.data(), into.size()), ec);
    if (is_would_block(ec)) return {Kind::kWaitRead};
    if (ec) return {Kind::kEnd};
    return {Kind::kDone, count};
}

void Transport::close() {
    boost::system::error_code ignored;
    ssl_.reset();
    socket_.close(ignored);
}

void Transport::abort() {
    boost::system::error_code ignored;
    socket_.set_option(Socket::linger(true, 0), ignored);
    close();
}

IoResult Transport::tls_outcome(int returned) const {
    if (returned > 0) return {Kind::kDone, static_cast<std::size_t>(returned)};
    switch (SSL_get_error(ssl_.get(), returned)) {
        case SSL_ERROR_WANT_READ:
            return {Kind::kWaitRead};
        case SSL_ERROR_WANT_WRITE:
            return {Kind::kWaitWrite};
        default:
            ERR_clear_error();
            return {Kind::kEnd};
    }
}

}  // namespace orrery::http
