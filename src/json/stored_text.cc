#include "json/stored_text.h"

#include "json/text.h"

namespace orrery::json {

std::string_view StoredText::escaped_string() {
    const std::size_t length = string_length(rest());
    if (length == 0) return fail(), std::string_view();
    return taken_until(at_ + length);
}

std::string_view StoredText::plain_scalar() {
    const auto literal = [this](std::string_view word) {
        return rest().starts_with(word) ? word.size() : 0;
    };
    std::size_t length = 0;
    switch (peek()) {
        case 't':
            length = literal("true");
            break;
        case 'f':
            length = literal("false");
            break;
        case 'n':
            length = literal("null");
            break;
        default:
            length = number_length(rest());
            break;
    }
    const char* const end = at_ + length;
    const bool ends = end == end_ || *end == ',' || *end == '}' || *end == ']';
    if (length == 0 || !ends) return fail(), std::string_view();
    return taken_until(end);
}

std::string_view StoredText::container() {
    std::size_t depth = 0;
    const char* const from = at_;
    while (at_ != end_) {
        switch (*at_) {
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
        if (depth == 0) return {from, static_cast<std::size_t>(at_ - from)};
    }
    return fail(), std::string_view();
}

std::string_view unquoted(std::string_view quoted, std::string& scratch) {
    if (quoted.find('\\') == std::string_view::npos) return quoted.substr(1, quoted.size() - 2);
    scratch = unquote(quoted);
    return scratch;
}

}  // namespace orrery::json
