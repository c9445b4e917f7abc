#include "gateway/status.h"

#include "base/utf8.h"
#include "json/text.h"

namespace orrery::gateway {

namespace {

// The service's names for status codes in error bodies.
std::string code_name(unsigned status) {
    switch (status) {
        case 400:
            return "BadRequest";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "NotFound";
        case 405:
            return "MethodNotAllowed";
        case 408:
            return "RequestTimeout";
        case 409:
            return "Conflict";
        case 410:
            return "Gone";
        case 412:
            return "PreconditionFailed";
        case 413:
            return "RequestEntityTooLarge";
        case 424:
            return "FailedDependency";
        case 431:
            return "RequestHeaderFieldsTooLarge";
        case 500:
            return "InternalServerError";
        case 501:
            return "NotImplemented";
        case 503:
            return "ServiceUnavailable";
        default:
            return std::to_string(status);
    }
}

// The service's gateway wraps most messages, which come from its backend. It writes this one itself
// and sends it bare; Java's tests expect the message to begin with it.
bool is_gateway_message(std::string_view message) {
    return message.starts_with("Entity with the specified id does not exist");
}

// Messages may quote client input; the body must be valid UTF-8 regardless.
std::string readable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        append_utf8(out, take_code_point(text).value_or(kReplacementCharacter));
    }
    return out;
}

}  // namespace

std::string error_body(unsigned status,
                       std::string_view message,
                       std::string_view activity_id,
                       std::string_view target,
                       std::string_view info) {
    std::string text;
    if (is_gateway_message(message)) {
        text.append(message);
    } else if (message.starts_with("{\"")) {
        text.append("Message: ").append(message);
    } else {
        text.append("Message: {\"Errors\":[");
        json::append_quoted(text, message);
        text.append("]}");
    }
    text.append("\r\nActivityId: ").append(activity_id);
    text.append(", Request URI: ").append(target.substr(0, target.find('?')));
    text.append(", RequestStats: , SDK: Orrery");
    std::string body = "{\"code\":";
    json::append_quoted(body, code_name(status));
    body += ",\"message\":";
    json::append_quoted(body, readable(text));
    if (!info.empty()) {
        body += ",\"additionalErrorInfo\":";
        json::append_quoted(body, info);
    }
    body += '}';
    return body;
}

}  // namespace orrery::gateway
