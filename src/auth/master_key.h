// Account keys: requests are signed with HMAC-SHA256 over verb, resource and date, and are valid
// for fifteen minutes around that date.

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
    // Some clients sign an operation with the type of what it works on; may be empty.
    std::string_view other_resource_type = {};
    // The spellings of the resource that SDKs sign: decoded path, raw path, last rid in lower case.
    std::span<const std::string> resource_links;
    std::optional<std::string_view> x_ms_date;
    std::optional<std::string_view> date;
};

class MasterKey {
public:
    // Parses an account key. nullopt if it is not base64 of at least 32 bytes.
    static std::optional<MasterKey> from_base64(std::string_view text);

    // Whether these bytes are the signature of one of the spellings.
    bool has_signed(const SignedParts& parts, std::string_view signature) const;

    // The authorization header for a request with this x-ms-date: what clients send.
    std::string authorization(std::string_view method,
                              std::string_view resource_type,
                              std::string_view resource_link,
                              std::string_view x_ms_date) const;

private:
    explicit MasterKey(std::string_view key) : key_(key) {}

    HmacSha256Key key_;
};

// kUnauthorized if there is no date, kForbidden if it is too far from `now`.
Status check_signed_date(const SignedParts& parts, std::int64_t now);

// 401 with the text that should have been signed.
Error wrong_signature(const SignedParts& parts);

}  // namespace orrery::auth
