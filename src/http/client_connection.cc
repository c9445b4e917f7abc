#include "http/client_connection.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <system_error>
#include <variant>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <openssl/x509v3.h>

#include "base/ascii.h"
#include "base/stopwatch.h"

namespace orrery::http {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using Code = boost::system::error_code;
using Tcp = asio::ip::tcp;
using PlainStream = beast::tcp_stream;
using SecureStream = asio::ssl::stream<beast::tcp_stream>;
using Parser = beast::http::response_parser<beast::http::string_body>;

constexpr std::uint32_t kHeadBytesMax = 64 * 1024;

std::string reason(const std::string& step, const Code& ec) {
    return step + ": " + (ec == beast::error::timeout ? "time-out" : ec.message());
}

Error not_sent(std::string why) { return Error(ErrorCode::kUnavailable, std::move(why)); }

Error unanswered(const std::string& step, const Code& ec) {
    return Error(ErrorCode::kTimeout, reason(step, ec));
}

bool is_ip_address(const std::string& host) {
    Code ec;
    asio::ip::make_address(host, ec);
    return !ec;
}

// OpenSSL looks where the distribution that built it keeps authorities, which may be another one.
void trust_system(asio::ssl::context& context, Code& ec) {
    constexpr std::array kElsewhere = {"/etc/ssl/certs/ca-certificates.crt",
                                       "/etc/pki/tls/certs/ca-bundle.crt",
                                       "/etc/ssl/ca-bundle.pem",
                                       "/etc/ssl/cert.pem"};
    context.set_default_verify_paths(ec);
    const bool chosen = std::getenv(X509_get_default_cert_file_env()) != nullptr ||
                        std::getenv(X509_get_default_cert_dir_env()) != nullptr;
    std::error_code failed;
    if (ec || chosen || std::filesystem::exists(X509_get_default_cert_dir(), failed)) return;
    for (const char* const bundle : kElsewhere) {
        if (!std::filesystem::exists(bundle, failed)) continue;
        context.load_verify_file(bundle, ec);
        return;
    }
}

// The name that the certificate must be for.
bool expect_name(SSL* ssl, const std::string& host) {
    X509_VERIFY_PARAM* const wanted = SSL_get0_param(ssl);
    X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    if (is_ip_address(host)) return X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1;
    return X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), 0) == 1;
}

}  // namespace

std::optional<std::string_view> ClientResponse::header(std::string_view name) const {
    const auto found = std::find_if(headers.begin(), headers.end(), [&](const auto& header) {
        return same_word(header.first, name);
    });
    return found == headers.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

Status check_ca_file(const std::string& path) {
    asio::ssl::context context(asio::ssl::context::tls_client);
    Code ec;
    context.load_verify_file(path, ec);
    if (!ec) return {};
    return Error(ErrorCode::kBadRequest,
                 "'" + path + "' holds no certificates in PEM: " + ec.message());
}

// The steps of a request are asynchronous so that a time-out ends them, but each is waited for.
class ClientConnection::State {
public:
    State(Url server, ClientOptions options)
        : server_(std::move(server)), options_(std::move(options)) {
        // Beast reads what there is room for, and the buffer does not grow by itself.
        buffer_.reserve(kReadBytes);
    }

    Result<ClientResponse> send(const ClientRequest& request) {
        deadline_ = monotonic_now() + options_.timeout;
        // The server may have closed a connection that was idle, which only shows in sending.
        if (is_open() && closed_by_server()) close();
        if (!is_open()) TRY(connect());
        // Not with std::visit(): clang 14 would leave out exchange() if only its generic lambda
        // called it.
        auto* const secure = std::get_if<SecureStream>(&stream_);
        auto response = secure != nullptr ? exchange(*secure, request)
                                          : exchange(std::get<PlainStream>(stream_), request);
        if (!response || !keep_alive_) close();
        return response;
    }

    void close() {
        stream_.emplace<std::monostate>();
        buffer_.clear();
    }

    void stop() {
        stopped_ = true;
        io_.stop();
    }

private:
    using Results = Tcp::resolver::results_type;

    bool is_open() const { return !std::holds_alternative<std::monostate>(stream_); }

    Tcp::socket& socket() {
        if (auto* const secure = std::get_if<SecureStream>(&stream_)) {
            return beast::get_lowest_layer(*secure).socket();
        }
        return std::get<PlainStream>(stream_).socket();
    }

    // Whether bytes or an end are waiting where nothing is expected.
    bool closed_by_server() {
        char byte = 0;
        const ssize_t got = ::recv(socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        // A TLS session ticket may be waiting.
        if (got > 0) return !server_.secure;
        return got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
    }

    Status connect() {
        if (stopped_) return not_sent("stopped");
        const auto found = TRY(resolve());
        if (const Status allowed = check_loopback(found); !allowed) return allowed.error().copy();
        return server_.secure ? connect_securely(found) : connect_plainly(found);
    }

    Result<Results> resolve() {
        Tcp::resolver resolver(io_);
        // Shared, because a name server may answer long after the wait for it has ended.
        const auto found = std::make_shared<Results>();
        const Code ec = wait([&](auto done) {
            resolver.async_resolve(server_.host,
                                   std::to_string(server_.port),
                                   [done, found](const Code& resolved, const Results& results) {
                                       *found = results;
                                       done(resolved);
                                   });
        });
        if (ec) return not_sent(reason("cannot resolve " + server_.host, ec));
        return *found;
    }

    Status check_loopback(const Results& found) const {
        const bool local = std::all_of(found.begin(), found.end(), [](const auto& entry) {
            return entry.endpoint().address().is_loopback();
        });
        if (server_.secure || local || !options_.plain_text_only_on_loopback) return {};
        return not_sent(server_.host + " is not on this machine; use https");
    }

    Status connect_plainly(const Results& found) {
        return open(stream_.emplace<PlainStream>(io_), found);
    }

    Status connect_securely(const Results& found) {
        if (!tls_) TRY(make_tls_context());
        auto& stream = stream_.emplace<SecureStream>(io_, *tls_);
        SSL* const ssl = stream.native_handle();
        const bool named =
            is_ip_address(server_.host) || SSL_set_tlsext_host_name(ssl, server_.host.c_str()) == 1;
        if (!named || (options_.tls.verify && !expect_name(ssl, server_.host))) {
            close();
            return not_sent("cannot set up TLS for " + server_.host);
        }
        TRY(open(beast::get_lowest_layer(stream), found));
        const Code shaken =
            wait([&](auto done) { stream.async_handshake(asio::ssl::stream_base::client, done); });
        if (!shaken) return {};
        const long verified = SSL_get_verify_result(ssl);
        close();
        if (options_.tls.verify && verified != X509_V_OK) {
            return Error(ErrorCode::kUnavailable,
                         std::string("the server's certificate is not trusted: ") +
                             X509_verify_cert_error_string(verified),
                         static_cast<std::uint32_t>(verified));
        }
        return not_sent(reason("TLS handshake", shaken));
    }

    Status make_tls_context() {
        tls_.emplace(asio::ssl::context::tls_client);
        SSL_CTX_set_min_proto_version(tls_->native_handle(), TLS1_2_VERSION);
        if (!options_.tls.verify) {
            tls_->set_verify_mode(asio::ssl::verify_none);
            return {};
        }
        tls_->set_verify_mode(asio::ssl::verify_peer);
        Code ec;
        if (options_.tls.ca_file.empty()) {
            trust_system(*tls_, ec);
        } else {
            tls_->load_verify_file(options_.tls.ca_file, ec);
        }
        if (!ec) return {};
        tls_.reset();
        return not_sent("cannot read the trusted certificates: " + ec.message());
    }

    Status open(beast::tcp_stream& stream, const Results& found) {
        stream.expires_at(deadline_);
        const Code ec = wait([&](auto done) { stream.async_connect(found, done); });
        if (ec) {
            close();
            return not_sent(reason("cannot connect to " + server_.authority(), ec));
        }
        Code ignored;
        stream.socket().set_option(Tcp::no_delay(true), ignored);
        return {};
    }

    template <typename Stream>
    Result<ClientResponse> exchange(Stream& stream, const ClientRequest& request) {
        beast::get_lowest_layer(stream).expires_at(deadline_);
        beast::http::request<beast::http::span_body<const char>> message;
        message.method_string({request.method.data(), request.method.size()});
        message.target({request.target.data(), request.target.size()});
        message.version(11);
        message.set(beast::http::field::host, server_.authority());
        message.set(beast::http::field::user_agent, "Orrery/" ORRERY_VERSION);
        for (const auto& [name, value] : request.headers) {
            message.set(beast::string_view(name.data(), name.size()),
                        beast::string_view(value.data(), value.size()));
        }
        message.body() = {request.body.data(), request.body.size()};
        message.keep_alive(!request.last);
        message.prepare_payload();
        const Code ec = wait([&](auto done) { beast::http::async_write(stream, message, done); });
        if (ec) return unanswered("sending the request", ec);
        return receive(stream, request.method == "HEAD");
    }

    template <typename Stream>
    Result<ClientResponse> receive(Stream& stream, bool without_body) {
        Parser parser;
        parser.header_limit(kHeadBytesMax);
        parser.body_limit(options_.body_bytes_max);
        parser.skip(without_body);
        const Code ec =
            wait([&](auto done) { beast::http::async_read(stream, buffer_, parser, done); });
        if (ec == beast::http::error::body_limit) {
            return Error(
                ErrorCode::kTooLarge,
                "the answer is larger than " + std::to_string(options_.body_bytes_max) + " bytes");
        }
        if (ec) return unanswered("reading the answer", ec);
        keep_alive_ = parser.get().keep_alive();
        ClientResponse out;
        out.status = parser.get().result_int();
        for (const auto& field : parser.get()) {
            out.headers.emplace_back(field.name_string(), field.value());
        }
        out.body = std::move(parser.get().body());
        return out;
    }

    // Starts a step and waits until it calls back. The callback may come after the wait has ended
    // in stop() or time-out, hence the shared outcome.
    template <typename Start>
    Code wait(Start start) {
        const auto outcome = std::make_shared<std::optional<Code>>();
        start([outcome](const Code& ec, auto&&... /*unused*/) { *outcome = ec; });
        auto until = deadline_ + kGrace;
        bool abandoned = false;
        while (!*outcome && !io_.stopped() && monotonic_now() < until) {
            if (!abandoned && cancelled()) {
                abandoned = true;
                until = std::min(until, monotonic_now() + kGrace);
                abandon();
            }
            io_.run_one_until(
                options_.cancelled == nullptr ? until : std::min(until, monotonic_now() + kLook));
        }
        if (abandoned) return asio::error::operation_aborted;
        if (*outcome) return **outcome;
        return io_.stopped() ? Code(asio::error::operation_aborted) : Code(beast::error::timeout);
    }

    bool cancelled() const { return options_.cancelled != nullptr && *options_.cancelled; }

    // What is under way on the stream ends with an error.
    void abandon() {
        Code ignored;
        if (is_open()) socket().close(ignored);
    }

    static constexpr std::size_t kReadBytes = 64 * 1024;
    // Streams notice the deadline themselves.
    static constexpr std::chrono::seconds kGrace{1};
    // How often to look whether the request is cancelled.
    static constexpr std::chrono::milliseconds kLook{50};

    const Url server_;
    const ClientOptions options_;
    asio::io_context io_{1};
    // An io_context without work counts as stopped; this keeps it from that.
    const asio::executor_work_guard<asio::io_context::executor_type> work_ =
        asio::make_work_guard(io_);
    std::atomic<bool> stopped_ = false;
    std::optional<asio::ssl::context> tls_;
    std::variant<std::monostate, PlainStream, SecureStream> stream_;
    beast::flat_buffer buffer_;
    bool keep_alive_ = false;
    std::chrono::steady_clock::time_point deadline_;
};

ClientConnection::ClientConnection(Url server, ClientOptions options)
    : state_(std::make_unique<State>(std::move(server), std::move(options))) {}

ClientConnection::~ClientConnection() = default;

Result<ClientResponse> ClientConnection::send(const ClientRequest& request) {
    // Of the libraries, such as out of memory.
    try {
        return state_->send(request);
    } catch (const std::exception& e) {
        state_->close();
        return Error(ErrorCode::kTimeout, e.what());
    }
}

void ClientConnection::stop() { state_->stop(); }

}  // namespace orrery::http
