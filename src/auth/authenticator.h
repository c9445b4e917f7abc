// Finds out who sent a request by its authorization header.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "auth/account_keys.h"
#include "auth/bearer_token.h"
#include "auth/principal.h"
#include "auth/resource_token.h"
#include "base/result.h"

namespace orrery::auth {

class Authenticator {
public:
    Authenticator(const AccountKeys& keys, const ResourceTokens& tokens, BearerTokens& bearers)
        : keys_(keys), tokens_(tokens), bearers_(bearers) {}

    // kUnauthorized if the header is missing, malformed, forged or signed with another key;
    // kForbidden if it is not valid at this time. May be called from any thread.
    Result<Principal> identify(std::optional<std::string_view> authorization,
                               const SignedParts& parts,
                               std::int64_t now) const;

    // For what goes on after its request: whether the credential that identify() has accepted would
    // still be, as far as keys of the account and times of tokens decide that. Its errors are the
    // same.
    Status check_still_valid(const Principal& principal, std::int64_t now) const;

private:
    Result<Principal> identify_key(std::string_view signature,
                                   const SignedParts& parts,
                                   std::int64_t now) const;

    const AccountKeys& keys_;
    const ResourceTokens& tokens_;
    BearerTokens& bearers_;
};

}  // namespace orrery::auth
