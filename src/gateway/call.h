// One request in the gateway: the exchange, its parsed path and headers, and how to answer it.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/stopwatch.h"
#include "gateway/resource_path.h"
#include "http/message.h"
#include "service/item_target.h"
#include "service/lookup.h"
#include "service/page.h"
#include "service/request.h"

namespace orrery::gateway {

// Request charges. Constants: nothing is metered yet.
inline constexpr std::string_view kReadCharge = "1";
inline constexpr std::string_view kWriteCharge = "5.71";
inline constexpr std::string_view kFeedCharge = "2.29";

struct Route;

class Call {
public:
    Call(std::shared_ptr<http::Exchange> exchange, std::string activity_id)
        : exchange_(std::move(exchange)), activity_id_(std::move(activity_id)) {}

    ResourcePath path;
    service::Request request;
    const Route* route = nullptr;  // set by the router
    bool repeated = false;         // it runs for the second time

    http::Exchange& exchange() { return *exchange_; }
    const http::Exchange& exchange() const { return *exchange_; }
    std::optional<std::string_view> header(std::string_view name) const {
        return exchange_->header(name);
    }
    // Whether the header is "true", ignoring case.
    bool flag(std::string_view name) const;
    // Prefer: return=minimal.
    bool wants_minimal() const;

    // A response with the headers that every answer carries.
    http::Response make_response(unsigned status, std::string_view charge) const;
    // The envelope of a feed page: {"_rid":...,"Documents":[...],"_count":n}.
    http::Response make_feed(std::string_view rid,
                             std::string_view element_name,
                             const service::Page& page) const;
    http::Response make_error(const Error& error) const;

    // Each ends the call; request data must not be used afterwards.
    void respond(http::Response response) { exchange_->respond(std::move(response)); }
    void fail(const Error& error) { respond(make_error(error)); }
    // May be called from any thread; the connection's thread makes the response.
    void respond_with(std::function<http::Response()> make_response) {
        exchange_->respond_with(std::move(make_response));
    }

private:
    std::shared_ptr<http::Exchange> exchange_;
    std::string activity_id_;
    Timer timer_;
};

using CallPtr = std::shared_ptr<Call>;

// Header values are ASCII: percent-encodes every other byte of a text.
std::string header_text(std::string_view text);

// The name and rid of the resource that owns an item or a container: SDKs store session tokens
// under them and build links from them.
void add_container_headers(http::Response& response, const service::FoundContainer& found);
void add_database_headers(http::Response& response, const catalog::Database& database);
void add_session_token(http::Response& response,
                       const service::Position& position,
                       service::ApiVersion version);
// The session token and the LSN headers of a partition.
void add_position_headers(http::Response& response,
                          const service::Position& position,
                          service::ApiVersion version);

}  // namespace orrery::gateway
