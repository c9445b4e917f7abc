#include "auth/bearer_token.h"

#include <algorithm>
#include <optional>
#include <shared_mutex>

#include <openssl/crypto.h>

#include "base/base64.h"
#include "json/value.h"
#include "model/limits.h"

namespace orrery::auth {

namespace {

using json::Value;

constexpr std::size_t kGroupsMax = 1'000;

Error refused(bearer::SubStatus sub_status, const std::string& why) {
    return Error(ErrorCode::kUnauthorized,
                 "The provided AAD token cannot be used to authenticate this request: " + why,
                 sub_status);
}

// HEADER.PAYLOAD.SIGNATURE
struct Parts {
    std::string_view header;
    std::string_view payload;
    std::string_view signature;
    std::string_view signed_text;  // header and payload
};

std::optional<Parts> split_token(std::string_view token) {
    const std::size_t first = token.find('.');
    if (first == std::string_view::npos) return std::nullopt;
    const std::size_t second = token.find('.', first + 1);
    if (second == std::string_view::npos) return std::nullopt;
    if (token.find('.', second + 1) != std::string_view::npos) return std::nullopt;
    return Parts{.header = token.substr(0, first),
                 .payload = token.substr(first + 1, second - first - 1),
                 .signature = token.substr(second + 1),
                 .signed_text = token.substr(0, second)};
}

std::string text_at(const Value& object, std::string_view name) {
    const Value* found = object.find(name);
    return found != nullptr && found->is_string() ? found->string() : std::string();
}

std::optional<std::int64_t> seconds_at(const Value& object, std::string_view name) {
    const Value* found = object.find(name);
    if (found == nullptr || !found->is_number()) return std::nullopt;
    return found->integer();
}

bool contains(const std::vector<std::string>& list, std::string_view text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

// The audience may end in a slash or not.
bool is_audience(const std::vector<std::string>& audiences, std::string_view text) {
    while (text.ends_with('/'))
        text.remove_suffix(1);
    return contains(audiences, text);
}

bool is_for(const std::vector<std::string>& audiences, const Value& claims) {
    const Value* audience = claims.find("aud");
    if (audience == nullptr) return false;
    if (audience->is_string()) return is_audience(audiences, audience->string());
    if (!audience->is_array()) return false;
    return std::any_of(audience->array().begin(), audience->array().end(), [&](const Value& entry) {
        return entry.is_string() && is_audience(audiences, entry.string());
    });
}

Result<Identity> read_claims(const Value& claims) {
    Identity out;
    out.object_id = text_at(claims, "oid");
    if (out.object_id.empty()) out.object_id = text_at(claims, "sub");
    if (out.object_id.empty())
        return refused(bearer::kMissingObjectIdentifier, "it does not say for whom it is.");
    const auto expires = seconds_at(claims, "exp");
    if (!expires) return refused(bearer::kInvalidFormat, "it has no time of expiry.");
    out.expires = *expires;
    out.not_before = seconds_at(claims, "nbf").value_or(0);
    if (const Value* groups = claims.find("groups"); groups != nullptr && groups->is_array()) {
        for (const Value& group : groups->array()) {
            if (group.is_string() && out.groups.size() < kGroupsMax) {
                out.groups.push_back(group.string());
            }
        }
    }
    return out;
}

bool same_bytes(std::string_view a, std::string_view b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

Status check_time(const Identity& identity, std::int64_t now) {
    constexpr std::int64_t kSkew = model::limits::kBearerTokenSkewSeconds;
    if (now >= identity.expires + kSkew) return refused(bearer::kExpired, "it has expired.");
    if (now < identity.not_before - kSkew)
        return refused(bearer::kNotYetValid, "it is not valid yet.");
    return {};
}

void BearerTokens::set_keys(KeySet keys) {
    keys_.store(std::make_shared<const KeySet>(std::move(keys)));
    const std::unique_lock lock(mutex_);
    ++generation_;
    remembered_.clear();
}

Result<IdentityPtr> BearerTokens::check(std::string_view token, std::int64_t now) {
    const std::uint64_t generation = generation_;
    const Sha256Digest digest = sha256(token);
    const std::string name(as_bytes(digest));
    IdentityPtr identity = remembered(name);
    const bool known = identity != nullptr;
    if (!known) identity = std::make_shared<const Identity>(TRY(verify(token)));
    TRY(check_time(*identity, now));
    // Those of emulators are as quick to check as to find, and end with the key.
    if (!known && !identity->trusted) remember(name, identity, generation);
    return identity;
}

Result<Identity> BearerTokens::verify(std::string_view token) const {
    const auto parts = split_token(token);
    const auto header = parts ? base64url_decode(parts->header) : std::nullopt;
    const auto payload = parts ? base64url_decode(parts->payload) : std::nullopt;
    if (!header || !payload) return refused(bearer::kInvalidFormat, "it is not a JSON Web Token.");
    const auto claims = Value::parse(*payload);
    if (!claims || !claims->is_object())
        return refused(bearer::kInvalidFormat, "its claims are not a JSON object.");
    if (options_.accept_emulator_tokens && is_signed_with_account_key(parts->signature)) {
        Identity identity = TRY(read_claims(*claims));
        identity.trusted = true;
        return identity;
    }
    TRY(check_signature(token, *header));
    if (!contains(options_.issuers, text_at(*claims, "iss"))) {
        return refused(bearer::kInvalidIssuer, "its issuer is not accepted.");
    }
    if (!is_for(options_.audiences, *claims))
        return refused(bearer::kInvalidAudience, "it is for another audience.");
    return read_claims(*claims);
}

Status BearerTokens::check_signature(std::string_view token, std::string_view header_json) const {
    const auto parts = split_token(token);
    const auto header = Value::parse(header_json);
    if (!header || !header->is_object())
        return refused(bearer::kInvalidFormat, "its header is not a JSON object.");
    // Nothing is understood that a token may declare as necessary (RFC 7515 §4.1.11).
    if (header->find("crit") != nullptr)
        return refused(bearer::kInvalidFormat, "its header has critical extensions.");
    const auto keys = keys_.load();
    const std::string key_id = text_at(*header, "kid");
    const VerificationKey* key = keys->find(key_id);
    if (key == nullptr) return unknown_key(key_id, *keys);
    // The key decides what its signatures look like: the header cannot ask for none, or for an HMAC
    // with the public key.
    const std::string_view wanted = key->kind() == SignatureKind::kRs256 ? "RS256" : "ES256";
    if (text_at(*header, "alg") != wanted)
        return refused(bearer::kInvalidSignature, "its algorithm is not that of its key.");
    const auto signature = base64url_decode(parts->signature);
    if (!signature || !key->verify(parts->signed_text, *signature)) {
        return refused(bearer::kInvalidSignature, "its signature is not valid.");
    }
    return {};
}

Error BearerTokens::unknown_key(std::string_view key_id, const KeySet& keys) const {
    if (!key_id.empty() && options_.on_unknown_key) options_.on_unknown_key();
    if (keys.size() == 0 && !options_.issuers.empty()) {
        return refused(bearer::kInvalidSigningKey,
                       "the server could not fetch the keys that sign tokens yet.");
    }
    return refused(bearer::kInvalidSigningKey, "the key that signed it is not known.");
}

bool BearerTokens::is_signed_with_account_key(std::string_view signature) const {
    const auto given = base64url_decode(signature);
    if (!given) return false;
    const std::string key = account_keys_.text(KeySlot::kPrimary);
    const auto bytes = base64_decode(key);
    return !key.empty() && (same_bytes(*given, key) || (bytes && same_bytes(*given, *bytes)));
}

IdentityPtr BearerTokens::remembered(const std::string& digest) const {
    const std::shared_lock lock(mutex_);
    const auto found = remembered_.find(digest);
    return found == remembered_.end() ? nullptr : found->second;
}

void BearerTokens::remember(const std::string& digest,
                            const IdentityPtr& identity,
                            std::uint64_t generation) {
    const std::unique_lock lock(mutex_);
    if (generation != generation_) return;
    // All of them go now and then; those in use come back.
    if (remembered_.size() >= kRememberedMax) remembered_.clear();
    remembered_[digest] = identity;
}

}  // namespace orrery::auth
