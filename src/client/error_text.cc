#include "client/error_text.h"

#include "json/value.h"

namespace orrery::client {

namespace {

// {"errors":[{"message":"..."}]} and {"Errors":["..."]}
std::string messages_in(const json::Value& body) {
    const json::Value* list = body.find("errors");
    if (list == nullptr) list = body.find("Errors");
    if (list == nullptr || !list->is_array()) return {};
    std::string out;
    for (const json::Value& entry : list->array()) {
        const json::Value* const message = entry.is_object() ? entry.find("message") : &entry;
        if (message == nullptr || !message->is_string()) continue;
        out += (out.empty() ? "" : "; ") + message->string();
    }
    return out;
}

}  // namespace

std::string error_text(const std::string& message) {
    std::string text = message.substr(0, message.find('\r'));
    const std::size_t open = text.find('{');
    const std::size_t close = text.rfind('}');
    if (open == std::string::npos || close == std::string::npos || close < open) return text;
    const auto body = json::Value::parse(text.substr(open, close - open + 1));
    const std::string found = body ? messages_in(*body) : "";
    return found.empty() ? text : found;
}

}  // namespace orrery::client
