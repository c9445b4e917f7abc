// Requests that pages of other origins send from a browser (CORS, https://fetch.spec.whatwg.org).
// Without the headers of an answer that allow it, a browser does not show the answer to the page.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace orrery::gateway {

// The origins whose pages may use the API, such as https://app.example; "*" means all.
using AllowedOrigins = std::vector<std::string>;

// Whether the text is an origin as browsers write it, or "*".
bool is_origin(std::string_view text);

// The origin that a request comes from, if it may be told the answer; otherwise empty.
std::string allowed_origin(const AllowedOrigins& allowed, const http::Exchange& exchange);

void allow_origin(http::Response& response, std::string_view origin);

// Answers the question of a browser whether a page may send a request with certain headers, which
// comes without a credential; false for any other request, and for origins that are not allowed.
bool answer_preflight(const AllowedOrigins& allowed,
                      const std::shared_ptr<http::Exchange>& exchange);

}  // namespace orrery::gateway
