// Shared by the operations on all resources but items: answers and listings.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/resources.h"
#include "json/value.h"
#include "service/continuation.h"
#include "service/page.h"
#include "service/request.h"
#include "service/resource_query.h"

namespace orrery::service {

// A resource as sent to the client, without a body if the client's copy is current (304).
struct ResourceAnswer {
    std::optional<json::Value> body;
    std::string etag;
};

// Answers a read, without a body if the client's copy is current.
ResourceAnswer read_answer(const Request& request, json::Value body, std::string etag);

// The If-Match condition of a write, as the catalog expects it.
std::optional<std::string> if_match_of(const Request& request);

// The body of a create or replace.
Result<json::Value> parse_object(std::string_view body);

// Lists are ordered by these numbers, which are never reused, so a page can resume even where
// resources were removed. The body is built only when a page reaches it.
struct Listed {
    std::uint64_t number;
    std::function<json::Value()> body;
};

// The requested page of the list; `scope` identifies the list, so that tokens of another are
// refused. Without a query, all resources are listed.
Result<Page> page_of(const Request& request,
                     const std::vector<Listed>& resources,
                     const ResourceQuery* query,
                     const ContinuationSigner& signer,
                     const std::string& scope);

}  // namespace orrery::service
