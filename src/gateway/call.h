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
#include "service/context.h"
#include "service/lookup.h"
#include "service/page.h"

namespace orrery::gateway {

struct Route;

class Call {
public:
    Call(std::shared_ptr<http::Exchange> exchange, std::string activity_id)
        : exchange_(std::move(exchange)), activity_id_(std::move(activity_id)) {}

    ResourcePath path;
    service::Context context;
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

    // A response with the headers that every answer carries, and those of the operation's receipt.
    http::Response make_response(unsigned status) const;
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
    http::Response make_response(unsigned status, double charge) const;

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

}  // namespace orrery::gateway
