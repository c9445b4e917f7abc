#include "auth/authorization_header.h"

#include <algorithm>

#include "base/percent.h"
#include "model/limits.h"

namespace orrery::auth {

namespace {

namespace limits = model::limits;

Error malformed(std::string message) {
    return Error(ErrorCode::kUnauthorized, std::move(message), kHeaderMalformed);
}

std::optional<std::string_view> take_field(std::string_view& rest,
                                           std::string_view name,
                                           bool last) {
    if (rest.substr(0, name.size()) != name) return std::nullopt;
    rest.remove_prefix(name.size());
    // The service ignores everything after a comma in the signature.
    const std::size_t end = last ? rest.find(',') : rest.find('&');
    if (end == std::string_view::npos && !last) return std::nullopt;
    const std::string_view field = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), field.size() + 1));
    return field;
}

std::optional<AuthorizationHeader> split(std::string_view text) {
    const auto type = take_field(text, "type=", false);
    if (!type) return std::nullopt;
    const auto version = take_field(text, "ver=", false);
    if (!version) return std::nullopt;
    const auto signature = take_field(text, "sig=", true);
    if (!signature) return std::nullopt;
    return AuthorizationHeader{*type, *version, *signature};
}

std::size_t bytes_max(std::string_view type) {
    if (type == "aad") return limits::kBearerTokenBytesMax;
    if (type == "resource") return limits::kResourceTokenBytesMax;
    return limits::kAuthorizationBytesMax;
}

}  // namespace

Result<AuthorizationHeader> parse_authorization(std::optional<std::string_view> text,
                                                std::string& decoded) {
    if (!text || text->empty()) {
        return Error(ErrorCode::kUnauthorized,
                     "Required Header 'authorization' is missing. Ensure a valid Authorization "
                     "token is passed.",
                     kHeaderMissing);
    }
    if (text->size() > limits::kBearerTokenBytesMax) {
        return malformed("The authorization header is too long.");
    }
    // Most SDKs percent-encode the token, some do not.
    std::string_view plain = *text;
    if (auto unescaped = percent_decode(*text)) {
        decoded = std::move(*unescaped);
        plain = decoded;
    }
    const auto header = split(plain);
    if (!header) {
        return malformed("The authorization header is not of the form type=...&ver=...&sig=....");
    }
    if (text->size() > bytes_max(header->type)) {
        return malformed("The authorization header is too long.");
    }
    return *header;
}

}  // namespace orrery::auth
