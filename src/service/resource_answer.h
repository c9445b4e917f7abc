// What the operations on all resources but items have in common: how one is answered, and how they
// are listed.

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

// A resource as the client gets it. Without a body when the client has it already (304).
struct ResourceAnswer {
    std::optional<json::Value> body;
    std::string etag;
    catalog::ContainerPtr container = nullptr;  // when it is one
};

// The answer to a read: without a body when the client's copy is still good.
ResourceAnswer read_answer(const Request& request, json::Value body, std::string etag);

// The If-Match of a change, as the catalog takes it.
std::optional<std::string> if_match_of(const Request& request);

// The body of a create or replace.
Result<json::Value> parse_object(std::string_view body);

// A list is in the order of these numbers, which are never used twice: a page can start behind
// resources that have been removed meanwhile. The body is made when a page gets to it.
struct Listed {
    std::uint64_t number;
    std::function<json::Value()> body;
};

// The page of the list that the request asks for; `scope` says which list it is, so that tokens of
// another are refused. Without a query all are in it.
Result<Page> page_of(const Request& request,
                     const std::vector<Listed>& resources,
                     const ResourceQuery* query,
                     const ContinuationSigner& signer,
                     const std::string& scope);

}  // namespace orrery::service
