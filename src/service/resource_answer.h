// Shared by the operations on all resources but items: answers.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/resources.h"
#include "json/value.h"
#include "service/request.h"

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

}  // namespace orrery::service
