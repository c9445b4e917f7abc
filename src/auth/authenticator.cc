#include "auth/authenticator.h"

#include "auth/authorization_header.h"
#include "base/base64.h"

namespace orrery::auth {

Result<Principal> Authenticator::identify(std::optional<std::string_view> authorization,
                                          const SignedParts& parts,
                                          std::int64_t now) const {
    std::string decoded;
    const AuthorizationHeader header = TRY(parse_authorization(authorization, decoded));
    if (header.type == "master") return identify_key(header.signature, parts, now);
    if (header.type == "resource") {
        // Cheaper than the signature of a key, so there is nothing to remember.
        auto grant = std::make_shared<const ResourceGrant>(TRY(tokens_.check(header.signature)));
        TRY(check_time(*grant, now));
        Principal principal;
        principal.kind = Principal::Kind::kResourceToken;
        principal.grant = std::move(grant);
        return principal;
    }
    if (header.type == "aad") {
        Principal principal;
        principal.kind = Principal::Kind::kBearerToken;
        principal.identity = TRY(bearers_.check(header.signature, now));
        return principal;
    }
    return Error(ErrorCode::kUnauthorized,
                 "Authorization tokens of type '" + std::string(header.type.substr(0, 40)) +
                     "' are not supported by this server.",
                 kHeaderMalformed);
}

Status Authenticator::check_still_valid(const Principal& principal, std::int64_t now) const {
    switch (principal.kind) {
        case Principal::Kind::kAccountKey:
        case Principal::Kind::kReadOnlyKey:
            if (keys_.is_current(principal.key)) return {};
            return Error(ErrorCode::kUnauthorized,
                         "The key that signed the request has been replaced.");
        case Principal::Kind::kResourceToken:
            return check_time(*principal.grant, now);
        case Principal::Kind::kBearerToken:
            return check_time(*principal.identity, now);
        case Principal::Kind::kNobody:
            break;
    }
    return {};
}

Result<Principal> Authenticator::identify_key(std::string_view signature,
                                              const SignedParts& parts,
                                              std::int64_t now) const {
    TRY(check_signed_date(parts, now));
    const auto given = base64_decode(signature);
    const auto signer = given ? keys_.find_signer(parts, *given) : std::nullopt;
    if (!signer) return wrong_signature(parts);
    Principal principal;
    principal.kind =
        is_read_only(signer->slot) ? Principal::Kind::kReadOnlyKey : Principal::Kind::kAccountKey;
    principal.key = *signer;
    return principal;
}

}  // namespace orrery::auth
