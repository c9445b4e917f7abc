#include "service/resource_answer.h"

#include "model/etag.h"
#include "service/errors.h"

namespace orrery::service {

using json::Value;

ResourceAnswer read_answer(const Request& request, Value body, std::string etag) {
    ResourceAnswer answer{.body = std::nullopt, .etag = std::move(etag)};
    const bool unchanged =
        request.if_none_match && model::etag_matches(*request.if_none_match, answer.etag);
    if (!unchanged) answer.body = std::move(body);
    return answer;
}

std::optional<std::string> if_match_of(const Request& request) {
    if (!request.if_match) return std::nullopt;
    return std::string(*request.if_match);
}

Result<Value> parse_object(std::string_view body) {
    Value value = TRY(Value::parse(body));
    if (!value.is_object()) return bad_request("The body must be a JSON object.");
    return value;
}

}  // namespace orrery::service
