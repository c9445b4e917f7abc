#include "auth/key_set.h"

#include <optional>
#include <vector>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include "base/base64.h"
#include "base/check.h"
#include "json/value.h"

namespace orrery::auth {

namespace {

constexpr std::size_t kKeysMax = 100;
constexpr int kRsaBitsMin = 2048;
constexpr std::size_t kP256Bytes = 32;

template <typename T, void (*kFree)(T*)>
struct Freed {
    void operator()(T* object) const { kFree(object); }
};
template <typename T, void (*kFree)(T*)>
using Owned = std::unique_ptr<T, Freed<T, kFree>>;

using Number = Owned<BIGNUM, BN_free>;
using ParamBuilder = Owned<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free>;
using Params = Owned<OSSL_PARAM, OSSL_PARAM_free>;
using KeyContext = Owned<EVP_PKEY_CTX, EVP_PKEY_CTX_free>;
using DigestContext = Owned<EVP_MD_CTX, EVP_MD_CTX_free>;
using EcdsaSignature = Owned<ECDSA_SIG, ECDSA_SIG_free>;

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());  // NOLINT: OpenSSL's type
}

Number number_of(std::string_view bytes) {
    return Number(BN_bin2bn(bytes_of(bytes), static_cast<int>(bytes.size()), nullptr));
}

std::optional<std::string> decoded_member(const json::Value& key, std::string_view name) {
    const json::Value* found = key.find(name);
    if (found == nullptr || !found->is_string()) return std::nullopt;
    return base64url_decode(found->string());
}

bool says(const json::Value& key, std::string_view name, std::string_view word) {
    const json::Value* found = key.find(name);
    return found != nullptr && found->is_string() && found->string() == word;
}

// Whether a member is missing or has that value.
bool may_be(const json::Value& key, std::string_view name, std::string_view word) {
    return key.find(name) == nullptr || says(key, name, word);
}

EVP_PKEY* make_key(const char* type, OSSL_PARAM_BLD* builder) {
    const Params params(OSSL_PARAM_BLD_to_param(builder));
    const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
    EVP_PKEY* key = nullptr;
    if (!params || !context || EVP_PKEY_fromdata_init(context.get()) != 1) return nullptr;
    if (EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) != 1) {
        return nullptr;
    }
    return key;
}

EVP_PKEY* make_rsa_key(const json::Value& key) {
    const auto modulus = decoded_member(key, "n");
    const auto exponent = decoded_member(key, "e");
    if (!modulus || !exponent) return nullptr;
    const Number n = number_of(*modulus);
    const Number e = number_of(*exponent);
    if (!n || !e || BN_num_bits(n.get()) < kRsaBitsMin) return nullptr;
    const ParamBuilder builder(OSSL_PARAM_BLD_new());
    if (!builder || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
        OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
        return nullptr;
    }
    return make_key("RSA", builder.get());
}

EVP_PKEY* make_ec_key(const json::Value& key) {
    const auto x = decoded_member(key, "x");
    const auto y = decoded_member(key, "y");
    if (!says(key, "crv", "P-256") || !x || !y || x->size() != kP256Bytes ||
        y->size() != kP256Bytes) {
        return nullptr;
    }
    const std::string point = "\x04" + *x + *y;
    const ParamBuilder builder(OSSL_PARAM_BLD_new());
    if (!builder ||
        OSSL_PARAM_BLD_push_utf8_string(
            builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) != 1 ||
        OSSL_PARAM_BLD_push_octet_string(
            builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) != 1) {
        return nullptr;
    }
    return make_key("EC", builder.get());
}

std::optional<VerificationKey> make_verification_key(const json::Value& key) {
    if (!may_be(key, "use", "sig")) return std::nullopt;
    if (says(key, "kty", "RSA") && may_be(key, "alg", "RS256")) {
        if (EVP_PKEY* made = make_rsa_key(key)) return VerificationKey(SignatureKind::kRs256, made);
    }
    if (says(key, "kty", "EC") && may_be(key, "alg", "ES256")) {
        if (EVP_PKEY* made = make_ec_key(key)) return VerificationKey(SignatureKind::kEs256, made);
    }
    return std::nullopt;
}

// JWS has the two numbers of an ECDSA signature one after the other, OpenSSL wants them in DER.
std::optional<std::string> der_of(std::string_view signature) {
    if (signature.size() != 2 * kP256Bytes) return std::nullopt;
    const EcdsaSignature numbers(ECDSA_SIG_new());
    Number r = number_of(signature.substr(0, kP256Bytes));
    Number s = number_of(signature.substr(kP256Bytes));
    if (!numbers || !r || !s) return std::nullopt;
    CHECK(ECDSA_SIG_set0(numbers.get(), r.release(), s.release()) == 1);
    unsigned char* bytes = nullptr;
    const int size = i2d_ECDSA_SIG(numbers.get(), &bytes);
    if (size <= 0) return std::nullopt;
    std::string out(reinterpret_cast<const char*>(bytes),
                    static_cast<std::size_t>(size));  // NOLINT
    OPENSSL_free(bytes);
    return out;
}

}  // namespace

VerificationKey::VerificationKey(SignatureKind kind, evp_pkey_st* key)
    : kind_(kind), key_(key, EVP_PKEY_free) {}

bool VerificationKey::verify(std::string_view text, std::string_view signature) const {
    std::string der;
    if (kind_ == SignatureKind::kEs256) {
        auto converted = der_of(signature);
        if (!converted) return false;
        der = std::move(*converted);
        signature = der;
    }
    const DigestContext context(EVP_MD_CTX_new());
    if (!context ||
        EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get()) != 1) {
        return false;
    }
    return EVP_DigestVerify(
               context.get(), bytes_of(signature), signature.size(), bytes_of(text), text.size()) ==
           1;
}

Result<KeySet> KeySet::parse(std::string_view json) {
    const auto body = json::Value::parse(json);
    const json::Value* keys = body ? body->find("keys") : nullptr;
    if (keys == nullptr || !keys->is_array() || keys->array().size() > kKeysMax) {
        return Error(ErrorCode::kBadRequest, "this is not a JSON Web Key Set");
    }
    KeySet out;
    for (const json::Value& entry : keys->array()) {
        auto key = make_verification_key(entry);
        const json::Value* id = entry.find("kid");
        if (!key) continue;
        out.keys_.insert_or_assign(id != nullptr && id->is_string() ? id->string() : "",
                                   std::move(*key));
    }
    if (out.keys_.empty()) {
        return Error(ErrorCode::kBadRequest,
                     "the key set has no RSA key of at least 2048 bits and no P-256 key");
    }
    return out;
}

const VerificationKey* KeySet::find(std::string_view key_id) const {
    if (key_id.empty()) return keys_.size() == 1 ? &keys_.begin()->second : nullptr;
    const auto found = keys_.find(key_id);
    return found == keys_.end() ? nullptr : &found->second;
}

}  // namespace orrery::auth
