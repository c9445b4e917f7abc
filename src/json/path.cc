#include "json/path.h"

#include <algorithm>

namespace orrery::json {

namespace {

Error bad_path(std::string_view text) {
    return Error(ErrorCode::kBadRequest,
                 "The path '" + std::string(text) +
                     "' is not valid. A path starts with '/' and names properties, such as "
                     "/department, /properties/name or /\"department name\".");
}

// Takes `"..."` off the front of rest and puts the name into segment; false when it is not closed.
bool take_quoted(std::string_view& rest, std::string& segment) {
    rest.remove_prefix(1);
    while (!rest.empty() && rest[0] != '"') {
        if (rest[0] == '\\' && rest.size() > 1 && (rest[1] == '"' || rest[1] == '\\')) {
            rest.remove_prefix(1);
        }
        segment += rest[0];
        rest.remove_prefix(1);
    }
    if (rest.empty()) return false;
    rest.remove_prefix(1);
    return true;
}

}  // namespace

Result<Path> parse_path(std::string_view text) {
    Path path;
    std::string_view rest = text;
    while (!rest.empty()) {
        if (rest[0] != '/') return bad_path(text);
        rest.remove_prefix(1);
        std::string segment;
        if (!rest.empty() && rest[0] == '"') {
            if (!take_quoted(rest, segment)) return bad_path(text);
        } else {
            const std::size_t end = std::min(rest.find('/'), rest.size());
            segment = rest.substr(0, end);
            rest.remove_prefix(end);
            if (segment.find_first_of("*?[]\"") != std::string::npos) return bad_path(text);
        }
        if (segment.empty()) return bad_path(text);
        path.push_back(std::move(segment));
    }
    if (path.empty()) return bad_path(text);
    return path;
}

}  // namespace orrery::json
