#include "http/fetch.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <openssl/x509v3.h>

#include "base/stopwatch.h"

namespace orrery::http {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using Code = boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr std::uint32_t kHeadBytesMax = 16 * 1024;

Error fetch_failed(const std::string& what) { return Error(ErrorCode::kUnavailable, what); }

Error fetch_failed(const std::string& step, const Code& ec) {
    if (ec == beast::error::timeout) return fetch_failed(step + ": time-out");
    return fetch_failed(step + ": " + ec.message());
}

bool is_ip_address(const std::string& host) {
    Code ec;
    asio::ip::make_address(host, ec);
    return !ec;
}

// One GET. The steps are asynchronous so that a time-out ends them, but each is waited for.
class Get {
public:
    Get(asio::io_context& io, const Url& url, const FetchOptions& options)
        : io_(io), url_(url), options_(options), deadline_(monotonic_now() + options.timeout) {}

    Result<std::string> run() {
        Tcp::resolver resolver(io_);
        // Shared, because a name server may answer long after the wait for it has ended.
        const auto found = std::make_shared<Results>();
        const Code ec = wait([&](auto done) {
            resolver.async_resolve(url_.host,
                                   std::to_string(url_.port),
                                   [done, found](const Code& resolved, const Results& results) {
                                       *found = results;
                                       done(resolved);
                                   });
        });
        if (ec) return fetch_failed("cannot resolve " + url_.host, ec);
        TRY(check_loopback(*found));
        return url_.secure ? get_securely(*found) : get_plainly(*found);
    }

private:
    using Results = Tcp::resolver::results_type;

    // Whatever "localhost" means to the system, what is not encrypted stays on this machine.
    Status check_loopback(const Results& found) const {
        const bool local = std::all_of(found.begin(), found.end(), [](const auto& entry) {
            return entry.endpoint().address().is_loopback();
        });
        if (url_.secure || local) return {};
        return fetch_failed(url_.host + " is not on this machine; use https");
    }

    Result<std::string> get_plainly(const Results& found) {
        beast::tcp_stream stream(io_);
        TRY(connect(stream, found));
        return exchange(stream);
    }

    Result<std::string> get_securely(const Results& found) {
        asio::ssl::context context(asio::ssl::context::tls_client);
        SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
        context.set_verify_mode(asio::ssl::verify_peer);
        Code ec;
        if (options_.ca_file.empty()) {
            context.set_default_verify_paths(ec);
        } else {
            context.load_verify_file(options_.ca_file, ec);
        }
        if (ec) return fetch_failed("cannot read the trusted certificates", ec);
        asio::ssl::stream<beast::tcp_stream> stream(io_, context);
        SSL* const ssl = stream.native_handle();
        X509_VERIFY_PARAM* const wanted = SSL_get0_param(ssl);
        X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
        const bool named = is_ip_address(url_.host)
                               ? X509_VERIFY_PARAM_set1_ip_asc(wanted, url_.host.c_str()) == 1
                               : X509_VERIFY_PARAM_set1_host(wanted, url_.host.c_str(), 0) == 1 &&
                                     SSL_set_tlsext_host_name(ssl, url_.host.c_str()) == 1;
        if (!named) return fetch_failed("cannot set up TLS for " + url_.host);
        TRY(connect(beast::get_lowest_layer(stream), found));
        const Code shaken =
            wait([&](auto done) { stream.async_handshake(asio::ssl::stream_base::client, done); });
        if (const long verified = SSL_get_verify_result(ssl); shaken && verified != X509_V_OK) {
            return fetch_failed(std::string("the server's certificate is not trusted: ") +
                                X509_verify_cert_error_string(verified));
        }
        if (shaken) return fetch_failed("TLS handshake", shaken);
        return exchange(stream);
    }

    Status connect(beast::tcp_stream& stream, const Results& found) {
        stream.expires_at(deadline_);  // for all steps from here
        const Code ec = wait([&](auto done) { stream.async_connect(found, done); });
        if (ec) return fetch_failed("cannot connect to " + url_.authority(), ec);
        return {};
    }

    template <typename Stream>
    Result<std::string> exchange(Stream& stream) {
        beast::http::request<beast::http::empty_body> request(
            beast::http::verb::get, url_.target, 11);
        request.set(beast::http::field::host, url_.authority());
        request.set(beast::http::field::user_agent, "Orrery/" ORRERY_VERSION);
        request.set(beast::http::field::accept, "application/json");
        request.keep_alive(false);
        Code ec = wait([&](auto done) { beast::http::async_write(stream, request, done); });
        if (ec) return fetch_failed("sending the request", ec);
        beast::flat_buffer buffer;
        beast::http::response_parser<beast::http::string_body> parser;
        parser.header_limit(kHeadBytesMax);
        parser.body_limit(options_.body_bytes_max);
        ec = wait([&](auto done) { beast::http::async_read_header(stream, buffer, parser, done); });
        if (ec) return unreadable(ec);
        const unsigned status = parser.get().result_int();
        if (status != 200) {
            return fetch_failed("the answer is " + std::to_string(status) +
                                (status / 100 == 3 ? "; redirects are not followed" : ""));
        }
        ec = wait([&](auto done) { beast::http::async_read(stream, buffer, parser, done); });
        if (ec) return unreadable(ec);
        return std::move(parser.get().body());
    }

    Error unreadable(const Code& ec) const {
        if (ec != beast::http::error::body_limit) return fetch_failed("reading the answer", ec);
        return fetch_failed("the answer is larger than " + std::to_string(options_.body_bytes_max) +
                            " bytes");
    }

    // Starts a step and waits until it calls back. The callback may come after the wait has ended
    // in stop() or time-out, hence the shared outcome.
    template <typename Start>
    Code wait(Start start) {
        const auto outcome = std::make_shared<std::optional<Code>>();
        start([outcome](const Code& ec, auto&&... /*unused*/) { *outcome = ec; });
        while (!*outcome && !io_.stopped() && monotonic_now() < deadline_ + kGrace) {
            io_.run_one_until(deadline_ + kGrace);
        }
        if (*outcome) return **outcome;
        return io_.stopped() ? Code(asio::error::operation_aborted) : Code(beast::error::timeout);
    }

    // Streams notice the deadline themselves.
    static constexpr std::chrono::seconds kGrace{1};

    asio::io_context& io_;
    const Url& url_;
    const FetchOptions& options_;
    const std::chrono::steady_clock::time_point deadline_;
};

}  // namespace

Status check_ca_file(const std::string& path) {
    asio::ssl::context context(asio::ssl::context::tls_client);
    Code ec;
    context.load_verify_file(path, ec);
    if (!ec) return {};
    return Error(ErrorCode::kBadRequest,
                 "'" + path + "' holds no certificates in PEM: " + ec.message());
}

Result<std::string> Fetcher::get() {
    asio::io_context io(1);
    // An io_context without work counts as stopped; this keeps it from that.
    const auto work = asio::make_work_guard(io);
    {
        const std::lock_guard lock(mutex_);
        if (stopped_) return fetch_failed("stopped");
        running_ = &io;
    }
    auto result = get_with(io);
    const std::lock_guard lock(mutex_);
    running_ = nullptr;
    return result;
}

Result<std::string> Fetcher::get_with(asio::io_context& io) const {
    // Of the libraries, such as out of memory.
    try {
        return Get(io, url_, options_).run();
    } catch (const std::exception& e) {
        return fetch_failed(e.what());
    }
}

void Fetcher::stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (running_ != nullptr) running_->stop();
}

}  // namespace orrery::http
