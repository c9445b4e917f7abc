// Master-key authentication: requests are signed with HMAC-SHA256 over verb, resource and date, and
// are valid for fifteen minutes around that date.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/result.h"

namespace orrery::auth {

// What the signature covers.
struct SignedParts {
    std::string_view method;
    std::string_view resource_type;  // dbs, colls, docs ...; empty for the account
    // The spellings of the resource that SDKs sign: decoded path, raw path, last rid in lower case.
    std::span<const std::string> resource_links;
    std::optional<std::string_view> x_ms_date;
    std::optional<std::string_view> date;
};

class MasterKey {
public:
    // Parses an account key. nullopt if it is not base64 of at least 32 bytes.
    static std::optional<MasterKey> from_base64(std::string_view text);

    // kUnauthorized if the header is missing, malformed or signed with another key; kForbidden if
    // the date is too far from `now`.
    Status check(std::optional<std::string_view> authorization,
                 const SignedParts& parts,
                 std::int64_t now) const;

private:
    explicit MasterKey(std::string_view key) : key_(key) {}

    HmacSha256Key key_;
};

}  // namespace orrery::auth
