#include "client/client.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <thread>

#include "base/check.h"
#include "base/http_date.h"
#include "base/http_status.h"
#include "base/stopwatch.h"
#include "client/error_text.h"

namespace orrery::client {

namespace {

constexpr std::string_view kApiVersion = "2020-07-15";
constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kPauseMax{5'000};
// How soon an interruption ends a wait.
constexpr std::chrono::milliseconds kSlice{50};

auth::MasterKey decoded(const std::string& key) {
    auto out = auth::MasterKey::from_base64(key);
    CHECK(out.has_value());  // resolve_account() has checked it
    return *std::move(out);
}

template <typename T>
T number(std::optional<std::string_view> text, T missing) {
    if (!text) return missing;
    T out = missing;
    std::from_chars(text->data(), text->data() + text->size(), out);
    return out;
}

// Refusals that pass, and have changed nothing.
bool passes(unsigned status) { return status == 429 || status == 449 || status == 503; }

// What the server asks for, or twice as long as last time.
std::chrono::milliseconds wait_of(const http::ClientResponse& response,
                                  std::chrono::milliseconds otherwise) {
    const auto asked = response.header("x-ms-retry-after-ms");
    return asked ? std::chrono::milliseconds(number<std::int64_t>(asked, 0)) : otherwise;
}

constexpr std::array kCodes = {ErrorCode::kBadRequest,
                               ErrorCode::kUnauthorized,
                               ErrorCode::kForbidden,
                               ErrorCode::kNotFound,
                               ErrorCode::kMethodNotAllowed,
                               ErrorCode::kTimeout,
                               ErrorCode::kConflict,
                               ErrorCode::kGone,
                               ErrorCode::kPreconditionFailed,
                               ErrorCode::kTooLarge,
                               ErrorCode::kFailedDependency,
                               ErrorCode::kThrottled,
                               ErrorCode::kRetryWith,
                               ErrorCode::kNotImplemented,
                               ErrorCode::kUnavailable};

ErrorCode code_of(unsigned status) {
    for (const ErrorCode code : kCodes) {
        if (http_status(code) == status) return code;
    }
    return status < 500 ? ErrorCode::kBadRequest : ErrorCode::kInternal;
}

// Tools have the options that say which server and key, and so has the doctor.
std::string with_advice(std::string message) {
    if (message.find("orrery doctor") != std::string::npos) return message;
    while (message.ends_with('.'))
        message.pop_back();
    return message + "; `orrery doctor` with the same options for the server says what to do";
}

// Without what only helps authors of clients.
std::string about_the_key(const std::string& message) {
    return message.substr(0, message.find(" or the expected payload"));
}

}  // namespace

std::uint32_t Response::sub_status() const {
    return number<std::uint32_t>(raw.header("x-ms-substatus"), 0);
}

Error error_of(const Response& response) {
    const auto body = json::Value::parse(response.body());
    const json::Value* const message = body ? body->find("message") : nullptr;
    std::string text = message != nullptr && message->is_string()
                           ? error_text(message->string())
                           : "the server answered " + std::to_string(response.status);
    if (response.status == 401) text = with_advice(about_the_key(text));
    return Error(code_of(response.status), std::move(text), response.sub_status());
}

Client::Client(const Account& account,
               const Clock& clock,
               RetryPolicy policy,
               const std::atomic<bool>* interrupted)
    : account_(account),
      clock_(clock),
      policy_(policy),
      interrupted_(interrupted),
      key_(decoded(account.key)),
      connection_(account.endpoint,
                  {.tls = account.tls,
                   .cancelled = policy.abandon_when_interrupted ? interrupted : nullptr}) {}

Result<Response> Client::send(const Request& request) {
    const bool repeatable = request.idempotent || request.method == "GET";
    const Time start = monotonic_now();
    std::chrono::milliseconds backoff = kFirstPause;
    Response out;
    while (true) {
        if (interrupted()) return Error(ErrorCode::kTimeout, std::string(kInterrupted));
        auto answer = attempt(request);
        if (!answer && policy_.abandon_when_interrupted && interrupted()) {
            return Error(ErrorCode::kTimeout, std::string(kInterrupted));
        }
        std::chrono::milliseconds wait = backoff;
        Time deadline = start + policy_.total;
        std::optional<Error> failure;
        if (answer) {
            out.status = answer->status;
            out.charge += number<double>(answer->header("x-ms-request-charge"), 0);
            out.raw = *std::move(answer);
            if (!passes(out.status)) return out;
            wait = wait_of(out.raw, backoff);
        } else {
            failure = std::move(answer).take_error();
            const bool unreachable = failure->code() == ErrorCode::kUnavailable;
            const bool lost = failure->code() == ErrorCode::kTimeout;
            if (!unreachable && !(lost && repeatable)) return *std::move(failure);
            if (unreachable) deadline = start + policy_.unreachable;
        }
        backoff = std::min(backoff * 2, kPauseMax);
        if (!pause(wait, deadline)) {
            if (!failure) return out;
            if (failure->code() != ErrorCode::kUnavailable) return *std::move(failure);
            return Error(failure->code(), with_advice(failure->message()), failure->sub_status());
        }
        if (!failure && out.status == 429) ++out.throttled;
    }
}

Result<Response> Client::call(const Request& request) {
    Response response = TRY(send(request));
    if (!response.ok()) return error_of(response);
    return response;
}

Result<json::Value> Client::read(const Path& path) {
    const Response response = TRY(call({.method = "GET", .path = path}));
    auto body = json::Value::parse(response.body());
    if (!body) return Error(ErrorCode::kInternal, "the server's answer is not JSON");
    return body;
}

Result<http::ClientResponse> Client::attempt(const Request& request) {
    const std::string date = print_http_date(clock_.now_seconds());
    const std::string authorization = key_.authorization(
        request.method, request.path.resource_type(), request.path.resource_link(), date);
    std::vector<http::ClientHeader> headers = {{"authorization", authorization},
                                               {"x-ms-date", date},
                                               {"x-ms-version", kApiVersion},
                                               {"Accept", "application/json"}};
    if (!request.body.empty()) headers.emplace_back("Content-Type", "application/json");
    for (const auto& [name, value] : request.headers) {
        headers.emplace_back(name, value);
    }
    return connection_.send({.method = request.method,
                             .target = request.path.target(),
                             .headers = headers,
                             .body = request.body});
}

bool Client::pause(std::chrono::milliseconds time, Time deadline) const {
    const Time until = monotonic_now() + time;
    if (until > deadline) return false;
    while (!interrupted()) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - monotonic_now());
        if (left.count() <= 0) return true;
        std::this_thread::sleep_for(std::min(left, kSlice));
    }
    return false;
}

}  // namespace orrery::client
