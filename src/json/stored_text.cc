#include "json/stored_text.h"

#include <cstring>

#include "json/text.h"

namespace orrery::json {

std::string_view StoredText::string() {
    const std::string_view rest = text_.substr(at_);
    if (rest.size() < 2 || rest[0] != '"') return fail(), std::string_view();
    const auto* quote =
        static_cast<const char*>(std::memchr(rest.data() + 1, '"', rest.size() - 1));
    if (quote == nullptr) return fail(), std::string_view();
    auto length = static_cast<std::size_t>(quote - rest.data()) + 1;
    if (std::memchr(rest.data(), '\\', length) != nullptr) length = string_length(rest);
    if (length == 0) return fail(), std::string_view();
    at_ += length;
    return rest.substr(0, length);
}

std::string_view StoredText::plain_scalar() {
    const std::size_t from = at_;
    const std::size_t end = text_.find_first_of(",]}", at_);
    at_ = end == std::string_view::npos ? text_.size() : end;
    const std::string_view found = text_.substr(from, at_ - from);
    const bool sound = number_length(found) == found.size() || found == "true" ||
                       found == "false" || found == "null";
    if (found.empty() || !sound) return fail(), std::string_view();
    return found;
}

std::string_view StoredText::value() {
    if (peek() != '{' && peek() != '[') return scalar();
    const std::size_t from = at_;
    std::size_t depth = 0;
    while (at_ < text_.size()) {
        switch (text_[at_]) {
            case '"':
                if (string().empty()) return {};
                continue;
            case '{':
            case '[':
                ++depth;
                break;
            case '}':
            case ']':
                --depth;
                break;
            default:
                break;
        }
        ++at_;
        if (depth == 0) return text_.substr(from, at_ - from);
    }
    return fail(), std::string_view();
}

std::string_view unquoted(std::string_view quoted, std::string& scratch) {
    if (quoted.find('\\') == std::string_view::npos) return quoted.substr(1, quoted.size() - 2);
    scratch = unquote(quoted);
    return scratch;
}

}  // namespace orrery::json
