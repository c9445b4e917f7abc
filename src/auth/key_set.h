// Public keys that sign bearer tokens, read from a JSON Web Key Set (RFC 7517): RSA keys for RS256
// and P-256 keys for ES256. Other keys are ignored, so that a set may hold what this server cannot
// use.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

struct evp_pkey_st;

namespace orrery::auth {

enum class SignatureKind : std::uint8_t { kRs256, kEs256 };

class VerificationKey {
public:
    // Takes ownership of the key.
    VerificationKey(SignatureKind kind, evp_pkey_st* key);

    SignatureKind kind() const { return kind_; }
    // Whether `signature`, in the form of JWS, is one of `text`. May be called from any thread.
    bool verify(std::string_view text, std::string_view signature) const;

private:
    SignatureKind kind_;
    std::shared_ptr<evp_pkey_st> key_;
};

class KeySet {
public:
    // kBadRequest if the text is not a key set or has no usable key.
    static Result<KeySet> parse(std::string_view json);

    // Null if there is none with that id. Without an id, the only key of the set.
    const VerificationKey* find(std::string_view key_id) const;
    std::size_t size() const { return keys_.size(); }

private:
    std::map<std::string, VerificationKey, std::less<>> keys_;
};

}  // namespace orrery::auth
