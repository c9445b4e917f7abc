#include "gateway/cross_origin.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "gateway/headers.h"
#include "http/url.h"

namespace orrery::gateway {

namespace {

constexpr std::string_view kAllOrigins = "*";

// What a browser sends: names of headers, separated by commas.
bool is_list_of_names(std::string_view text) {
    constexpr std::size_t kBytesMax = 2048;
    return text.size() <= kBytesMax && std::all_of(text.begin(), text.end(), [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '-' || c == '_' || c == ',' || c == ' ';
           });
}

}  // namespace

bool is_origin(std::string_view text) {
    if (text == kAllOrigins) return true;
    const auto url = http::parse_url(text);
    if (!url || url->target != "/") return false;
    return text == (url->secure ? "https://" : "http://") + url->authority();
}

std::string allowed_origin(const AllowedOrigins& allowed, const http::Exchange& exchange) {
    if (allowed.empty()) return {};
    const auto origin = exchange.header(header::kOrigin);
    if (!origin) return {};
    const bool may = std::any_of(allowed.begin(), allowed.end(), [&](const std::string& one) {
        return one == kAllOrigins || same_word(one, *origin);
    });
    return may ? std::string(*origin) : std::string();
}

void allow_origin(http::Response& response, std::string_view origin) {
    response.add_header(header::kAllowOrigin, origin);
    response.add_header(header::kExposeHeaders, "*");
    response.add_header(header::kVary, "Origin");
}

bool answer_preflight(const AllowedOrigins& allowed,
                      const std::shared_ptr<http::Exchange>& exchange) {
    if (exchange->method() != "OPTIONS" || !exchange->header(header::kRequestMethod)) return false;
    const std::string origin = allowed_origin(allowed, *exchange);
    if (origin.empty()) return false;
    http::Response response;
    response.status = 204;
    allow_origin(response, origin);
    response.add_header(header::kAllowMethods, "GET, POST, PUT, PATCH, DELETE");
    const auto names = exchange->header(header::kRequestHeaders);
    if (names && is_list_of_names(*names)) response.add_header(header::kAllowHeaders, *names);
    response.add_header(header::kMaxAge, "7200");
    exchange->respond(std::move(response));
    return true;
}

}  // namespace orrery::gateway
