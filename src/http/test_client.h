// A blocking client for tests: raw bytes out, responses in, over plain TCP or TLS. Every wait times
// out after ten seconds, so that a hanging server fails the test.

#pragma once

#include <arpa/inet.h>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

#include "http/tls_context.h"

namespace orrery::http {

struct TestResponse {
    unsigned status = 0;
    std::string head;  // the status line and the headers, as sent
    std::string body;

    // The value of a header by its exact name; empty if it is missing.
    std::string header(std::string_view name) const;
};

class TestClient {
public:
    enum class Security : std::uint8_t { kPlain, kTls };

    explicit TestClient(std::uint16_t port,
                        Security security = Security::kPlain,
                        const char* address = "127.0.0.1");
    // Over TLS, with settings of its own.
    TestClient(std::uint16_t port, const std::function<void(SSL_CTX*)>& configure);
    TestClient(const TestClient&) = delete;
    TestClient& operator=(const TestClient&) = delete;
    ~TestClient();

    bool connected() const { return socket_ >= 0; }

    // Returns false if the server has closed.
    bool send(std::string_view bytes);
    // nullopt if the connection ends before the response does. Responses to HEAD have no body,
    // whatever their Content-Length.
    std::optional<TestResponse> receive(bool head_only = false);
    std::optional<TestResponse> request(std::string_view bytes) {
        send(bytes);
        return receive();
    }
    // Whether the server has closed the connection cleanly and nothing is left to read.
    // Everything until the server closes the connection; for responses without a length.
    std::string rest();
    bool at_end();
    void finish_sending();
    // Closes with a reset.
    void abort();

private:
    bool connect(std::uint16_t port, const char* address);
    void begin_tls(const std::function<void(SSL_CTX*)>& configure);
    bool fill();
    long read_some(char* into, std::size_t size);

    int socket_ = -1;
    std::unique_ptr<SSL_CTX, SslDeleter> context_;
    SslPointer ssl_;
    std::string received_;
};

inline std::string TestResponse::header(std::string_view name) const {
    const std::string start = "\r\n" + std::string(name) + ": ";
    const std::size_t at = head.find(start);
    if (at == std::string::npos) return {};
    const std::size_t value_at = at + start.size();
    return head.substr(value_at, head.find("\r\n", value_at) - value_at);
}

inline TestClient::TestClient(std::uint16_t port, Security security, const char* address) {
    if (!connect(port, address)) {
        abort();
        return;
    }
    if (security == Security::kTls) begin_tls([](SSL_CTX*) {});
}

inline TestClient::TestClient(std::uint16_t port, const std::function<void(SSL_CTX*)>& configure) {
    if (connect(port, "127.0.0.1")) {
        begin_tls(configure);
    } else {
        abort();
    }
}

inline void TestClient::begin_tls(const std::function<void(SSL_CTX*)>& configure) {
    context_.reset(SSL_CTX_new(TLS_client_method()));
    configure(context_.get());
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), socket_);
    if (SSL_connect(ssl_.get()) != 1) abort();
}

inline TestClient::~TestClient() {
    ssl_.reset();
    if (socket_ >= 0) ::close(socket_);
}

inline bool TestClient::connect(std::uint16_t port, const char* address) {
    const bool v6 = std::strchr(address, ':') != nullptr;
    socket_ = ::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    const int on = 1;
    setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in to_v4{};
    to_v4.sin_family = AF_INET;
    to_v4.sin_port = htons(port);
    sockaddr_in6 to_v6{};
    to_v6.sin6_family = AF_INET6;
    to_v6.sin6_port = htons(port);
    if (v6) {
        inet_pton(AF_INET6, address, &to_v6.sin6_addr);
        return ::connect(socket_, reinterpret_cast<sockaddr*>(&to_v6), sizeof to_v6) == 0;
    }
    inet_pton(AF_INET, address, &to_v4.sin_addr);
    return ::connect(socket_, reinterpret_cast<sockaddr*>(&to_v4), sizeof to_v4) == 0;
}

inline bool TestClient::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const long count = ssl_
                               ? SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                               : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

inline std::optional<TestResponse> TestClient::receive(bool head_only) {
    std::size_t head_size = 0;
    while ((head_size = received_.find("\r\n\r\n")) == std::string::npos) {
        if (!fill()) return std::nullopt;
    }
    TestResponse response;
    response.head = received_.substr(0, head_size + 2);
    received_.erase(0, head_size + 4);
    response.status = static_cast<unsigned>(std::atoi(response.head.c_str() + 9));
    const std::size_t size =
        head_only ? 0 : std::strtoul(response.header("Content-Length").c_str(), nullptr, 10);
    while (received_.size() < size) {
        if (!fill()) return std::nullopt;
    }
    response.body = received_.substr(0, size);
    received_.erase(0, size);
    return response;
}

inline std::string TestClient::rest() {
    while (fill()) {
    }
    return std::exchange(received_, {});
}

inline bool TestClient::at_end() {
    if (!received_.empty()) return false;
    char byte = 0;
    return read_some(&byte, 1) == 0;
}

inline void TestClient::finish_sending() { shutdown(socket_, SHUT_WR); }

inline void TestClient::abort() {
    const linger reset{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    ssl_.reset();
    ::close(socket_);
    socket_ = -1;
}

inline bool TestClient::fill() {
    char buffer[16384];
    const long count = read_some(buffer, sizeof buffer);
    if (count <= 0) return false;
    received_.append(buffer, static_cast<std::size_t>(count));
    return true;
}

inline long TestClient::read_some(char* into, std::size_t size) {
    if (!ssl_) return ::recv(socket_, into, size, 0);
    const int count = SSL_read(ssl_.get(), into, static_cast<int>(size));
    if (count > 0) return count;
    return SSL_get_error(ssl_.get(), count) == SSL_ERROR_ZERO_RETURN ? 0 : -1;
}

}  // namespace orrery::http
