// Bearer tokens as Entra ID issues them: JSON Web Tokens signed with RS256 or ES256 by a key of a
// configured set, for a configured issuer and audience.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "auth/account_keys.h"
#include "auth/key_set.h"
#include "base/hash.h"
#include "base/read_mostly.h"
#include "base/result.h"

namespace orrery::auth {

// The SDKs' names of the sub-statuses of 401.
namespace bearer {
enum SubStatus : std::uint32_t {
    kInvalidFormat = 5003,
    kInvalidSignature = 5004,
    kNotYetValid = 5005,
    kExpired = 5006,
    kInvalidIssuer = 5007,
    kInvalidAudience = 5008,
    kMissingObjectIdentifier = 5011,
    kInvalidSigningKey = 5200,
};
}  // namespace bearer

// Who a token is for.
struct Identity {
    std::string object_id;            // of the user or application
    std::vector<std::string> groups;  // that it is a member of
    std::int64_t not_before = 0;      // Unix seconds
    std::int64_t expires = 0;
    // It was signed with an account key, as those of emulators are: may do everything with items.
    bool trusted = false;
};
using IdentityPtr = std::shared_ptr<const Identity>;

// kUnauthorized before the token is valid and after it has expired.
Status check_time(const Identity& identity, std::int64_t now);

struct BearerTokenOptions {
    std::vector<std::string> issuers;
    std::vector<std::string> audiences;
    // Accept tokens whose third part is the account key itself, as test programs for emulators make
    // them. They show the key to whoever sees the token.
    bool accept_emulator_tokens = false;
    // Called when a token names a key that is not known, which may be new. From any thread; must
    // not block.
    std::function<void()> on_unknown_key = nullptr;
};

class BearerTokens {
public:
    BearerTokens(BearerTokenOptions options, const AccountKeys& account_keys)
        : options_(std::move(options)), account_keys_(account_keys) {}

    // From now on tokens must be signed with one of these keys. Forgets verified tokens.
    void set_keys(KeySet keys);

    // Verifies HEADER.PAYLOAD.SIGNATURE, or remembers that it has. kUnauthorized if it is not
    // valid, also because of its times. May be called from any thread.
    Result<IdentityPtr> check(std::string_view token, std::int64_t now);

private:
    Result<Identity> verify(std::string_view token) const;
    Status check_signature(std::string_view token, std::string_view header_json) const;
    Error unknown_key(std::string_view key_id, const KeySet& keys) const;
    bool is_signed_with_account_key(std::string_view signature) const;
    IdentityPtr remembered(const std::string& digest) const;
    void remember(const std::string& digest, const IdentityPtr& identity, std::uint64_t generation);

    const BearerTokenOptions options_;
    const AccountKeys& account_keys_;
    ReadMostlyPointer<const KeySet> keys_{std::make_shared<const KeySet>()};

    // Of the keys: what was verified with earlier ones is not remembered.
    std::atomic<std::uint64_t> generation_ = 0;
    static constexpr std::size_t kRememberedMax = 10'000;
    mutable ReadMostlyMutex mutex_;                            // guards the member below
    std::unordered_map<std::string, IdentityPtr> remembered_;  // by the digest of the token
};

}  // namespace orrery::auth
