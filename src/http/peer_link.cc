#include "http/peer_link.h"

#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <type_traits>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "base/ascii.h"

namespace orrery::http {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using Code = boost::system::error_code;
using Tcp = asio::ip::tcp;
using PlainStream = beast::tcp_stream;
using SecureStream = asio::ssl::stream<beast::tcp_stream>;
using Parser = beast::http::response_parser<beast::http::string_body>;

constexpr std::uint32_t kAnswerHeadBytesMax = 64 * 1024;
constexpr std::size_t kBufferBytes = 64 * 1024;

std::string why(const char* step, const Code& ec) {
    return std::string(step) + ": " + (ec == beast::error::timeout ? "time-out" : ec.message());
}

bool concerns_connection(beast::http::field name) {
    using beast::http::field;
    return name == field::content_length || name == field::connection || name == field::date ||
           name == field::transfer_encoding || name == field::keep_alive;
}

Response response_from(Parser& parser) {
    Response out;
    out.status = parser.get().result_int();
    for (const auto& field : parser.get()) {
        if (concerns_connection(field.name())) continue;
        out.add_header(std::string_view(field.name_string().data(), field.name_string().size()),
                       std::string_view(field.value().data(), field.value().size()));
    }
    out.body = std::move(parser.get().body());
    return out;
}

template <typename Stream>
class LinkOn final : public PeerLink, public std::enable_shared_from_this<LinkOn<Stream>> {
public:
    static constexpr bool kSecure = std::is_same_v<Stream, SecureStream>;

    LinkOn(asio::io_context& io, Url url, std::size_t answer_bytes_max)
        : url_(std::move(url)), answer_bytes_max_(answer_bytes_max), resolver_(io), stream_(io) {
        buffer_.reserve(kBufferBytes);
    }
    LinkOn(asio::io_context& io,
           Url url,
           std::size_t answer_bytes_max,
           std::unique_ptr<asio::ssl::context> tls)
        : url_(std::move(url)),
          answer_bytes_max_(answer_bytes_max),
          tls_(std::move(tls)),
          resolver_(io),
          stream_(io, *tls_) {
        buffer_.reserve(kBufferBytes);
    }

    void send(PeerRequest request, Peers::Done done) override {
        request_ = std::move(request);
        done_ = std::move(done);
        request_.head += "Content-Length: " + std::to_string(request_.body.size()) + "\r\n\r\n";
        lowest().expires_at(request_.deadline);
        if (connected_) return write();
        resolver_.async_resolve(url_.host,
                                std::to_string(url_.port),
                                [self = this->shared_from_this()](const Code& ec, auto found) {
                                    if (ec) return self->fail_unsent("resolving the name", ec);
                                    self->connect(found);
                                });
    }

    bool is_reusable() override {
        if (!connected_) return false;
        // Whether the other side has closed it meanwhile.
        char byte = 0;
        const ssize_t got =
            ::recv(lowest().socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        // A TLS session ticket may be waiting.
        if (got > 0) return kSecure;
        return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    }

    void close() override {
        connected_ = false;
        resolver_.cancel();
        Code ignored;
        lowest().socket().close(ignored);
    }

private:
    beast::tcp_stream& lowest() { return beast::get_lowest_layer(stream_); }

    void connect(const Tcp::resolver::results_type& found) {
        lowest().async_connect(found,
                               [self = this->shared_from_this()](const Code& ec, const auto&) {
                                   if (ec) return self->fail_unsent("connecting", ec);
                                   self->greet();
                               });
    }

    void greet() {
        Code ignored;
        lowest().socket().set_option(Tcp::no_delay(true), ignored);
        if constexpr (kSecure) {
            stream_.async_handshake(asio::ssl::stream_base::client,
                                    [self = this->shared_from_this()](const Code& ec) {
                                        if (ec) return self->fail_unsent("TLS handshake", ec);
                                        self->write();
                                    });
        } else {
            write();
        }
    }

    void write() {
        connected_ = true;
        const std::array<asio::const_buffer, 2> pieces = {asio::buffer(request_.head),
                                                          asio::buffer(request_.body)};
        asio::async_write(
            stream_, pieces, [self = this->shared_from_this()](const Code& ec, std::size_t) {
                if (ec) return self->fail("sending the request", ec);
                self->read();
            });
    }

    void read() {
        parser_.emplace();
        parser_->header_limit(kAnswerHeadBytesMax);
        parser_->body_limit(answer_bytes_max_);
        parser_->skip(request_.without_body);
        beast::http::async_read(stream_,
                                buffer_,
                                *parser_,
                                [self = this->shared_from_this()](const Code& ec, std::size_t) {
                                    if (ec) return self->fail("reading the answer", ec);
                                    self->finish();
                                });
    }

    void finish() {
        if (!parser_->get().keep_alive()) close();
        // Otherwise the timer would close the connection while it is idle.
        lowest().expires_never();
        Response response = response_from(*parser_);
        parser_.reset();
        end(std::move(response));
    }

    void fail_unsent(const char* step, const Code& ec) {
        close();
        end(Error(ErrorCode::kUnavailable, why(step, ec)));
    }
    void fail(const char* step, const Code& ec) {
        close();
        end(Error(ErrorCode::kTimeout, why(step, ec)));
    }
    void end(Result<Response> outcome) {
        request_ = {};
        std::exchange(done_, nullptr)(std::move(outcome));
    }

    const Url url_;
    const std::size_t answer_bytes_max_;
    const std::unique_ptr<asio::ssl::context> tls_;
    Tcp::resolver resolver_;
    Stream stream_;
    beast::flat_buffer buffer_;
    std::optional<Parser> parser_;
    PeerRequest request_;
    Peers::Done done_;
    bool connected_ = false;
};

}  // namespace

Result<std::shared_ptr<PeerLink>> make_peer_link(asio::io_context& io,
                                                 const Peer& peer,
                                                 std::size_t answer_bytes_max) {
    if (!peer.url.secure) {
        return std::shared_ptr<PeerLink>(
            std::make_shared<LinkOn<PlainStream>>(io, peer.url, answer_bytes_max));
    }
    auto tls = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_client);
    SSL_CTX_set_min_proto_version(tls->native_handle(), TLS1_2_VERSION);
    tls->set_verify_mode(asio::ssl::verify_peer);
    tls->set_verify_callback(asio::ssl::host_name_verification(peer.url.host));
    Code ec;
    tls->add_certificate_authority(asio::buffer(peer.authority_pem), ec);
    if (ec) return Error(ErrorCode::kUnavailable, "the node's certificate authority is damaged");
    return std::shared_ptr<PeerLink>(
        std::make_shared<LinkOn<SecureStream>>(io, peer.url, answer_bytes_max, std::move(tls)));
}

}  // namespace orrery::http
