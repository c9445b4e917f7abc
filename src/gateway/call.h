// One request in the gateway: the exchange, its parsed path and headers, and how to answer it.

#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/stopwatch.h"
#include "base/trace_context.h"
#include "gateway/cross_origin.h"
#include "gateway/forwarder.h"
#include "gateway/request_monitor.h"
#include "gateway/resource_path.h"
#include "http/message.h"
#include "service/context.h"
#include "service/lookup.h"
#include "service/page.h"
#include "throughput/charges.h"

namespace orrery::gateway {

struct Route;

class Call {
public:
    // The monitor is told of the answer, and must outlive the call.
    Call(std::shared_ptr<http::Exchange> exchange, std::string activity_id, RequestMonitor& monitor)
        : exchange_(std::move(exchange)), activity_id_(std::move(activity_id)), monitor_(monitor) {}

    ResourcePath path;
    service::Context context;
    // Set by the router, see find_route(). Nothing for an unknown combination of resource and verb.
    const Route* route = nullptr;
    std::optional<auth::Action> action;  // what a credential must allow
    bool is_query = false;               // a query or a request for its plan
    bool is_change_feed = false;         // of items, by A-IM or as events
    std::string client_address;          // of requests that are logged, see auth::is_management()
    int moves = 0;                       // how often its partition was gone
    std::chrono::milliseconds refusal_delay{};  // of the answer to an invalid credential
    const Forwarder* forwarder = nullptr;       // of a cluster, unless a node passed it on to this
    std::string allowed_origin;                 // may be told the answer; see cross_origin.h

    http::Exchange& exchange() { return *exchange_; }
    const http::Exchange& exchange() const { return *exchange_; }
    std::optional<std::string_view> header(std::string_view name) const;
    // Takes headers from the query string of the target, for clients that cannot send others: the
    // event streams of browsers. kBadRequest if it cannot be decoded.
    Status read_headers_of_target();
    // Whether the header is "true", ignoring case.
    bool flag(std::string_view name) const;
    std::string_view activity_id() const { return activity_id_; }
    std::chrono::nanoseconds elapsed() const { return timer_.elapsed(); }
    // What the client's tracing calls this request, if it says so.
    std::optional<TraceContext> trace() const;
    // Prefer: return=minimal.
    bool wants_minimal() const;

    // A response with the headers that every answer carries, and those of the operation's receipt.
    http::Response make_response(unsigned status,
                                 std::string_view content_type = "application/json") const;
    // The envelope of a feed page: {"_rid":...,"Documents":[...],"_count":n}. Moved pages are not
    // copied.
    http::Response make_feed(std::string_view rid,
                             std::string_view element_name,
                             service::Page page) const;
    http::Response make_error(const Error& error) const;

    // Each ends the call; request data must not be used afterwards.
    void respond(http::Response response) {
        finish(response);
        exchange_->respond(std::move(response));
    }
    void fail(const Error& error) {
        if (error.code() == ErrorCode::kElsewhere && forwarder != nullptr) return forward(error);
        http::Response response = make_error(error);
        response.delay = refusal_delay;
        respond(std::move(response));
    }
    // May be called from any thread; the connection's thread makes the response. `make_response`
    // keeps the call.
    template <typename Make>
    void respond_with(Make make_response) {
        exchange_->respond_with([this, make = std::move(make_response)] {
            http::Response response = make();
            finish(response);
            return response;
        });
    }

private:
    // Clients do not pay for failures of the server, and little for what was not begun.
    double charge_for(unsigned status) const {
        if (status == 429) return std::min(context.receipt.charge, throughput::kThrottledCharge);
        return status < 500 ? context.receipt.charge : 0;
    }
    Operation operation() const { return action ? Operation(*action) : Operation::unknown(); }
    void finish(http::Response& response) {
        if (!allowed_origin.empty()) allow_origin(response, allowed_origin);
        monitor_.count(operation(), response.status, elapsed(), charge_for(response.status));
        if (!client_address.empty()) log_management(response.status);
    }
    void forward(const Error& elsewhere);
    void log_management(unsigned status) const;

    std::shared_ptr<http::Exchange> exchange_;
    std::string activity_id_;
    std::vector<std::pair<std::string_view, std::string>> headers_of_target_;
    RequestMonitor& monitor_;
    Timer timer_;
};

using CallPtr = std::shared_ptr<Call>;

// Header values are ASCII: percent-encodes every other byte of a text.
std::string header_text(std::string_view text);
void append_header_text(std::string& out, std::string_view text);

// The name and rid of the resource that owns an item or a container: SDKs store session tokens
// under them and build links from them.
void add_container_headers(http::Response& response, const service::FoundContainer& found);
void add_database_headers(http::Response& response, const catalog::Database& database);

}  // namespace orrery::gateway
