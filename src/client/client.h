// Requests of the tools to a server of this API: signed with the account key, sent over one
// connection, and sent again when the server asks for that. For use by one thread; tools that send
// requests in parallel have a client each.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/master_key.h"
#include "base/clock.h"
#include "base/result.h"
#include "client/account.h"
#include "client/path.h"
#include "http/client_connection.h"
#include "json/value.h"

namespace orrery::client {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
    std::string method = "GET";
    Path path;
    Headers headers = {};
    std::string body = {};
    // Sending it twice has the same effect as once, so it may be repeated when its outcome is
    // unknown. Reads and queries always may.
    bool idempotent = false;
};

struct Response {
    unsigned status = 0;
    http::ClientResponse raw;
    // Of all attempts, as the server charges for refused ones too.
    double charge = 0;
    // How often the server has answered 429 before this answer.
    std::uint32_t throttled = 0;

    const std::string& body() const { return raw.body; }
    std::string header(std::string_view name) const {
        return std::string(raw.header(name).value_or(""));
    }
    bool ok() const { return status < 400; }
    std::uint32_t sub_status() const;
};

// Sub-status of 403: the items of one partition key value have as many bytes as they may.
inline constexpr std::uint32_t kLogicalPartitionFull = 1014;

// The message of the error when a request was not sent, because of an interruption.
inline constexpr std::string_view kInterrupted = "interrupted";

struct RetryPolicy {
    // Of a request with all its attempts.
    std::chrono::milliseconds total{120'000};
    // While nobody answers at the address, which for a local server is soon final.
    std::chrono::milliseconds unreachable{5'000};
    // An interruption also ends the wait for an answer, so the outcome of a write is not known.
    bool abandon_when_interrupted = false;
};

class Client {
public:
    // `clock` must outlive this, and `interrupted` too, which ends waits and attempts when set.
    Client(const Account& account,
           const Clock& clock,
           RetryPolicy policy = {},
           const std::atomic<bool>* interrupted = nullptr);

    // The server's answer, whatever its status, after attempts for 429, 449, 503 and lost
    // connections where the request allows it. kUnavailable: the server cannot be reached.
    // kTimeout: the outcome is unknown, or it was interrupted.
    Result<Response> send(const Request& request);

    // The same, with an answer of 400 or more as an error with its code, sub-status and message.
    Result<Response> call(const Request& request);

    // The body of a successful answer as JSON.
    Result<json::Value> read(const Path& path);

    const Account& account() const { return account_; }

private:
    using Time = std::chrono::steady_clock::time_point;

    Result<http::ClientResponse> attempt(const Request& request);
    // False if there is not so much time left, or it was interrupted.
    bool pause(std::chrono::milliseconds time, Time deadline) const;
    bool interrupted() const { return interrupted_ != nullptr && *interrupted_; }

    const Account account_;
    const Clock& clock_;
    const RetryPolicy policy_;
    const std::atomic<bool>* const interrupted_;
    const auth::MasterKey key_;
    http::ClientConnection connection_;
};

// The error that an answer of 400 or more stands for.
Error error_of(const Response& response);

}  // namespace orrery::client
