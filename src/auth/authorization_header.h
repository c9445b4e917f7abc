// The authorization header: type=TYPE&ver=VERSION&sig=SIGNATURE, percent-encoded by most SDKs.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::auth {

struct AuthorizationHeader {
    std::string_view type;  // master, resource, aad
    std::string_view version;
    std::string_view signature;
};

// The parts refer to `text` or to `decoded`. kUnauthorized with sub-status 5000 if the header is
// missing, 5001 if it is malformed or too long for its type.
Result<AuthorizationHeader> parse_authorization(std::optional<std::string_view> text,
                                                std::string& decoded);

// Sub-statuses of 401.
inline constexpr std::uint32_t kHeaderMissing = 5000;
inline constexpr std::uint32_t kHeaderMalformed = 5001;

}  // namespace orrery::auth
