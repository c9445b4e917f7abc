// The client side of HTTP: one keep-alive connection, one request at a time, which the calling
// thread waits for. HTTPS verifies the certificate and the name of the server.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "http/url.h"

namespace orrery::http {

struct ClientTls {
    // PEM: authorities to trust instead of those of the system.
    std::string ca_file;
    // Without it any certificate will do. For servers on the same machine only.
    bool verify = true;
};

struct ClientOptions {
    ClientTls tls;
    // What is not encrypted stays on this machine, whatever "localhost" means to the system.
    bool plain_text_only_on_loopback = false;
    std::chrono::milliseconds timeout{60'000};  // of a request, connecting included
    std::size_t body_bytes_max = std::size_t{64} << 20;
    // Ends the wait for an answer soon after it is set, as a time-out does. It must outlive the
    // connection.
    const std::atomic<bool>* cancelled = nullptr;
};

using ClientHeader = std::pair<std::string_view, std::string_view>;

struct ClientRequest {
    std::string_view method = "GET";
    std::string_view target;
    std::span<const ClientHeader> headers;  // beside Host, User-Agent and Content-Length
    std::string_view body;
    // Close the connection afterwards.
    bool last = false;
};

struct ClientResponse {
    unsigned status = 0;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;

    // Of the first header of this name, in any case.
    std::optional<std::string_view> header(std::string_view name) const;
};

// kBadRequest if the file has no certificate.
Status check_ca_file(const std::string& path);

// Not for two threads at the same time, but for stop().
class ClientConnection {
public:
    // Only the place of the URL counts. Connects with the first request.
    ClientConnection(Url server, ClientOptions options);
    ClientConnection(const ClientConnection&) = delete;
    ClientConnection& operator=(const ClientConnection&) = delete;
    ~ClientConnection();

    // Any complete answer, whatever its status. After an error the next request connects again.
    // kUnavailable: nothing was sent; with a sub-status, the server's certificate is not trusted,
    // for the reason that OpenSSL has under this number (X509_V_ERR_...). kTimeout: the request may
    // have been carried out, but no complete answer has come (in time). kTooLarge: the answer is
    // larger than allowed.
    Result<ClientResponse> send(const ClientRequest& request);

    // Makes send() return soon, now and ever after. May be called from any thread.
    void stop();

private:
    class State;
    const std::unique_ptr<State> state_;
};

}  // namespace orrery::http
