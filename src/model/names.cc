#include "model/names.h"

#include <string>

#include "model/limits.h"

namespace orrery::model {

namespace {

std::size_t utf8_characters(std::string_view text) {
    std::size_t count = 0;
    for (const char c : text) {
        if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++count;
    }
    return count;
}

// `quoted` is the number that the service puts in the message.
Error name_too_long(std::string_view name, std::size_t quoted) {
    return Error(ErrorCode::kBadRequest,
                 "The input name '" + std::string(name.substr(0, limits::kNameCharactersMax)) +
                     "' is invalid. Ensure to provide a unique non-empty string less than '" +
                     std::to_string(quoted) + "' characters.");
}

}  // namespace

Status check_resource_name(std::string_view name) {
    if (name.empty() || utf8_characters(name) > limits::kNameCharactersMax) {
        return name_too_long(name, limits::kNameCharactersMax);
    }
    if (name.find_first_of("/\\#?") != std::string_view::npos) {
        return Error(ErrorCode::kBadRequest,
                     "The input name '" + std::string(name) +
                         "' is invalid: it contains one of '/', '\\', '#' and '?'.");
    }
    if (name.back() == ' ') {
        return Error(ErrorCode::kBadRequest,
                     "The input name '" + std::string(name) + "' is invalid: it ends in a space.");
    }
    return {};
}

Status check_item_id(std::string_view id) {
    if (id.empty()) {
        return Error(ErrorCode::kBadRequest,
                     "The input content is invalid because the required properties - 'id; ' - are "
                     "missing: 'id' must not be empty.");
    }
    if (id.size() > limits::kItemIdBytesMax) {
        return name_too_long(id, limits::kItemIdBytesMax + 1);
    }
    if (id.find('\\') != std::string_view::npos) {
        return Error(ErrorCode::kBadRequest, "The 'id' of an item must not contain '\\'.");
    }
    return {};
}

}  // namespace orrery::model
