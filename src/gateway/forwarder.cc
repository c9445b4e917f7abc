#include "gateway/forwarder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/stopwatch.h"
#include "gateway/headers.h"

namespace orrery::gateway {

namespace {

using TimePoint = std::chrono::steady_clock::time_point;

// They concern the client's connection, or are written anew.
bool is_replaced(std::string_view name) {
    constexpr std::array<std::string_view, 11> kNames = {"connection",
                                                         "content-length",
                                                         "expect",
                                                         "keep-alive",
                                                         "te",
                                                         "trailer",
                                                         "transfer-encoding",
                                                         "upgrade",
                                                         header::kActivityId,
                                                         header::kElsewhere,
                                                         header::kNode};
    return std::any_of(
        kNames.begin(), kNames.end(), [&](std::string_view one) { return same_word(one, name); });
}

// Whether sending it twice changes nothing.
bool is_repeatable(const http::Exchange& exchange) {
    const std::string_view method = exchange.method();
    if (method == "GET" || method == "HEAD") return true;
    const auto says_so = [&](std::string_view name) {
        const auto value = exchange.header(name);
        return value && same_word(*value, "true");
    };
    return method == "POST" && (says_so(header::kIsQuery) || says_so(header::kIsQueryPlan));
}

std::optional<std::string> elsewhere_in(const http::Response& response) {
    const std::string wanted = "\r\n" + lower(std::string(header::kElsewhere)) + ": ";
    const std::string headers = "\r\n" + response.headers;
    const std::size_t at = lower(headers).find(wanted);
    if (at == std::string::npos) return std::nullopt;
    const std::size_t begin = at + wanted.size();
    return headers.substr(begin, headers.find('\r', begin) - begin);
}

}  // namespace

struct Forwarder::Errand {
    std::shared_ptr<http::Exchange> exchange;
    std::string activity_id;
    std::string place;
    TimePoint deadline;   // of the answer
    TimePoint try_until;  // to find a node that answers
    MakeError make_error;
    bool repeatable = false;
};

void Forwarder::forward(std::shared_ptr<http::Exchange> exchange,
                        std::string activity_id,
                        std::string place,
                        TimePoint deadline,
                        MakeError make_error) const {
    auto errand = std::make_shared<Errand>();
    errand->repeatable = is_repeatable(*exchange);
    errand->exchange = std::move(exchange);
    errand->activity_id = std::move(activity_id);
    errand->place = std::move(place);
    errand->deadline = deadline;
    errand->try_until = std::min(deadline, monotonic_now() + options_.patience);
    errand->make_error = std::move(make_error);
    attempt(errand, false);
}

void Forwarder::attempt(const std::shared_ptr<Errand>& errand, bool again) const {
    const auto peer = options_.find(errand->place, again);
    if (!peer) return attempt_later(errand);
    http::PeerRequest request{.head = head_of(*errand),
                              .body = errand->exchange->body(),
                              .deadline = errand->deadline,
                              .without_body = errand->exchange->method() == "HEAD"};
    peers_.send(*peer, std::move(request), [this, errand](Result<http::Response> answer) {
        conclude(errand, std::move(answer));
    });
}

void Forwarder::attempt_later(const std::shared_ptr<Errand>& errand) const {
    repeated_.add();
    if (monotonic_now() >= errand->try_until) {
        return conclude(errand,
                        Error(ErrorCode::kUnavailable,
                              "No node of the cluster serves this partition now; retry later."));
    }
    peers_.after(options_.pause, [this, errand] { attempt(errand, true); });
}

void Forwarder::conclude(const std::shared_ptr<Errand>& errand,
                         Result<http::Response> answer) const {
    const bool in_time = monotonic_now() < errand->try_until;
    if (answer) {
        if (auto place = elsewhere_in(*answer)) {
            errand->place = *std::move(place);
            return attempt_later(errand);
        }
        forwarded_.add();
        return errand->exchange->respond(std::move(answer).take());
    }
    const bool unsent = answer.error().code() == ErrorCode::kUnavailable;
    if (in_time && (unsent || errand->repeatable)) return attempt_later(errand);
    failed_.add();
    const Error error =
        unsent ? Error(ErrorCode::kUnavailable, answer.error().message())
               : Error(ErrorCode::kTimeout,
                       "The node that serves this partition did not answer; the operation may "
                       "have been carried out.");
    errand->exchange->respond(errand->make_error(error));
}

std::string Forwarder::head_of(const Errand& errand) const {
    const http::Exchange& exchange = *errand.exchange;
    std::string out;
    out.reserve(2048);
    out.append(exchange.method()).append(" ").append(exchange.target()).append(" HTTP/1.1\r\n");
    const auto add = [&](std::string_view name, std::string_view value) {
        out.append(name).append(": ").append(value).append("\r\n");
    };
    exchange.for_each_header([&](std::string_view name, std::string_view value) {
        if (!is_replaced(name)) add(name, value);
    });
    if (!exchange.header(header::kHost)) add(header::kHost, options_.node);
    // For links in the answer.
    if (!exchange.header(header::kForwardedProto)) {
        add(header::kForwardedProto, exchange.secure() ? "https" : "http");
    }
    add(header::kActivityId, errand.activity_id);
    add(header::kNode,
        proof_.sign(options_.node, exchange.method(), exchange.target(), clock_.now_seconds()));
    return out;
}

}  // namespace orrery::gateway
