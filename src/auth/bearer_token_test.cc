#include "auth/bearer_token.h"

#include <algorithm>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/base64.h"
#include "model/limits.h"

namespace orrery::auth {
namespace bearer_token_test {

constexpr const char* kAccountKey =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

std::string base64url(std::string_view bytes) {
    std::string out = base64_encode(bytes);
    std::replace(out.begin(), out.end(), '+', '-');
    std::replace(out.begin(), out.end(), '/', '_');
    while (out.ends_with('='))
        out.pop_back();
    return out;
}

std::string bytes_of(const BIGNUM* number, int size) {
    std::string out(static_cast<std::size_t>(size), '\0');
    BN_bn2binpad(number, reinterpret_cast<unsigned char*>(out.data()), size);  // NOLINT
    return out;
}

// A private key that signs tokens, and its public half as an entry of a key set.
class Signer {
public:
    Signer(std::string id, bool rsa)
        : id_(std::move(id)),
          rsa_(rsa),
          key_(rsa ? EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{2048})
                   : EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"),
               EVP_PKEY_free) {}

    std::string jwk(const std::string& more = "") const {
        const std::string head = R"({"kid":")" + id_ + "\"" + more;
        if (rsa_) {
            return head + R"(,"kty":"RSA","n":")" + number(OSSL_PKEY_PARAM_RSA_N, 256) +
                   R"(","e":")" + number(OSSL_PKEY_PARAM_RSA_E, 3) + "\"}";
        }
        return head + R"(,"kty":"EC","crv":"P-256","x":")" + number(OSSL_PKEY_PARAM_EC_PUB_X, 32) +
               R"(","y":")" + number(OSSL_PKEY_PARAM_EC_PUB_Y, 32) + "\"}";
    }

    std::string sign(const std::string& text) const {
        const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                         EVP_MD_CTX_free);
        EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_.get());
        std::string out(512, '\0');
        std::size_t size = out.size();
        EVP_DigestSign(context.get(),
                       reinterpret_cast<unsigned char*>(out.data()),  // NOLINT
                       &size,
                       reinterpret_cast<const unsigned char*>(text.data()),  // NOLINT
                       text.size());
        out.resize(size);
        if (rsa_) return out;
        const auto* bytes = reinterpret_cast<const unsigned char*>(out.data());  // NOLINT
        ECDSA_SIG* parts = d2i_ECDSA_SIG(nullptr, &bytes, static_cast<long>(size));
        out = bytes_of(ECDSA_SIG_get0_r(parts), 32) + bytes_of(ECDSA_SIG_get0_s(parts), 32);
        ECDSA_SIG_free(parts);
        return out;
    }

    const std::string& id() const { return id_; }
    const char* algorithm() const { return rsa_ ? "RS256" : "ES256"; }

private:
    std::string number(const char* name, int size) const {
        BIGNUM* value = nullptr;
        EVP_PKEY_get_bn_param(key_.get(), name, &value);
        std::string out = base64url(bytes_of(value, size));
        BN_free(value);
        return out;
    }

    std::string id_;
    bool rsa_;
    std::shared_ptr<EVP_PKEY> key_;
};

class BearerTokenTest : public testing::Test {
protected:
    static constexpr std::int64_t kNow = 1'700'000'000;

    void SetUp() override {
        keys_.set(KeySlot::kPrimary, kAccountKey);
        trust({rsa(), ec()});
    }
    // Making an RSA key takes long.
    static const Signer& rsa() {
        static const Signer kSigner("r", true);
        return kSigner;
    }
    static const Signer& ec() {
        static const Signer kSigner("e", false);
        return kSigner;
    }
    void trust(const std::vector<Signer>& signers) {
        std::string text = R"({"keys":[{"kty":"oct","k":"AAAA","kid":"o"})";
        for (const Signer& signer : signers)
            text += "," + signer.jwk();
        auto parsed = KeySet::parse(text + "]}");
        ASSERT_TRUE(parsed) << parsed.error().message();
        tokens_.set_keys(std::move(parsed).take());
    }
    std::string claims(const std::string& more = "") const {
        return R"({"iss":"https://issuer/","aud":"https://cosmos.azure.com/","oid":"me","exp":)" +
               std::to_string(kNow + 60) + more + "}";
    }
    static std::string token(const Signer& signer,
                             const std::string& claims,
                             std::string header = "") {
        if (header.empty()) {
            header = std::string(R"({"typ":"JWT","alg":")") + signer.algorithm() + R"(","kid":")" +
                     signer.id() + "\"}";
        }
        const std::string text = base64url(header) + "." + base64url(claims);
        return text + "." + base64url(signer.sign(text));
    }
    // The sub-status of the refusal; 0 if it was accepted.
    unsigned refusal(const std::string& text, std::int64_t now = kNow) {
        const auto identity = tokens_.check(text, now);
        if (identity) return 0;
        EXPECT_EQ(identity.error().code(), ErrorCode::kUnauthorized);
        return identity.error().sub_status();
    }

    AccountKeys keys_;
    BearerTokens tokens_{{.issuers = {"https://issuer/"},
                          .audiences = {"https://cosmos.azure.com"},
                          .accept_emulator_tokens = false},
                         keys_};
};

TEST_F(BearerTokenTest, AcceptsBothAlgorithms) {
    for (const Signer& signer : {rsa(), ec()}) {
        const auto identity =
            tokens_.check(token(signer, claims(R"(,"groups":["g",1,"h"])")), kNow);
        ASSERT_TRUE(identity) << identity.error().message();
        EXPECT_EQ((*identity)->object_id, "me");
        EXPECT_EQ((*identity)->groups, (std::vector<std::string>{"g", "h"}));
        EXPECT_FALSE((*identity)->trusted);
    }
}

TEST_F(BearerTokenTest, ChecksTheTimes) {
    const std::int64_t skew = model::limits::kBearerTokenSkewSeconds;
    const std::string text = token(ec(), claims(R"(,"nbf":)" + std::to_string(kNow)));
    EXPECT_EQ(refusal(text), 0U);
    EXPECT_EQ(refusal(text, kNow - skew), 0U);
    EXPECT_EQ(refusal(text, kNow - skew - 1), 5005U);
    EXPECT_EQ(refusal(text, kNow + 60 + skew - 1), 0U);
    EXPECT_EQ(refusal(text, kNow + 60 + skew), 5006U) << "also if it is remembered";
}

TEST_F(BearerTokenTest, ChecksTheClaims) {
    const std::string rest = R"("exp":)" + std::to_string(kNow + 60) + "}";
    const auto with = [&](const std::string& claims) {
        return refusal(token(ec(), claims + rest));
    };
    const std::string aud = R"("aud":"https://cosmos.azure.com",)";
    const std::string iss = R"("iss":"https://issuer/",)";
    EXPECT_EQ(with("{" + iss + aud + R"("sub":"me",)"), 0U);
    EXPECT_EQ(with("{" + iss + R"("aud":["x","https://cosmos.azure.com/"],"oid":"me",)"), 0U);
    EXPECT_EQ(with("{" + iss + R"("aud":"https://other","oid":"me",)"), 5008U);
    EXPECT_EQ(with("{" + iss + R"("oid":"me",)"), 5008U);
    EXPECT_EQ(with("{" + aud + R"("iss":"https://issuer","oid":"me",)"), 5007U);
    EXPECT_EQ(with("{" + aud + R"("oid":"me",)"), 5007U);
    EXPECT_EQ(with("{" + iss + aud), 5011U);
    EXPECT_EQ(refusal(token(ec(), "{" + iss + aud + R"("oid":"me"})")), 5003U) << "no exp";
    EXPECT_EQ(refusal(token(ec(), "[]")), 5003U);
}

TEST_F(BearerTokenTest, TheKeyDecidesTheAlgorithm) {
    const std::string body = base64url(claims());
    EXPECT_NE(refusal(base64url(R"({"alg":"none","kid":"r"})") + "." + body + "."), 0U);
    EXPECT_NE(refusal(base64url(R"({"alg":"none"})") + "." + body + "."), 0U);
    // An HMAC with what everybody knows, the public key.
    const std::string text = base64url(R"({"alg":"HS256","kid":"r"})") + "." + body;
    unsigned char mac[32];
    const std::string key = rsa().jwk();
    HMAC(EVP_sha256(),
         key.data(),
         static_cast<int>(key.size()),
         reinterpret_cast<const unsigned char*>(text.data()),  // NOLINT
         text.size(),
         mac,
         nullptr);
    const std::string_view signature(reinterpret_cast<const char*>(mac), sizeof mac);  // NOLINT
    EXPECT_EQ(refusal(text + "." + base64url(signature)), 5004U);
    EXPECT_EQ(refusal(token(ec(), claims(), R"({"alg":"RS256","kid":"e"})")), 5004U);
    EXPECT_EQ(refusal(token(ec(), claims(), R"({"alg":"ES256","kid":"r"})")), 5004U);
    EXPECT_EQ(refusal(token(ec(), claims(), R"({"alg":"ES256","kid":"o"})")), 5200U);
    EXPECT_EQ(refusal(token(ec(), claims(), R"({"alg":"ES256"})")), 5200U);
    EXPECT_EQ(refusal(token(ec(), claims(), R"({"alg":"ES256","kid":"e","crit":["b64"]})")), 5003U);
}

TEST_F(BearerTokenTest, EveryPartOfTheTokenCounts) {
    const std::string good = token(ec(), claims());
    EXPECT_EQ(refusal(good), 0U);
    const std::size_t second = good.rfind('.');
    EXPECT_NE(refusal(good.substr(0, second)), 0U);
    EXPECT_NE(refusal(good.substr(0, second + 1)), 0U);
    EXPECT_NE(refusal(good + "."), 0U);
    EXPECT_NE(refusal(good.substr(0, good.size() - 2)), 0U);
    EXPECT_NE(refusal(good.substr(0, good.find('.') + 1) + base64url(claims(",\"x\":1")) +
                      good.substr(second)),
              0U);
    EXPECT_NE(refusal(""), 0U);
    EXPECT_NE(refusal(".."), 0U);
    EXPECT_NE(refusal("a.b.c"), 0U);
}

TEST_F(BearerTokenTest, KeysRotate) {
    const Signer next("n", false);
    const std::string old = token(ec(), claims());
    EXPECT_EQ(refusal(old), 0U);
    EXPECT_EQ(refusal(token(next, claims())), 5200U);
    trust({ec(), next});
    EXPECT_EQ(refusal(old), 0U);
    EXPECT_EQ(refusal(token(next, claims())), 0U);
    trust({next});
    EXPECT_EQ(refusal(old), 5200U) << "although it had been verified";
    // Without an id in the header, the only key is meant.
    EXPECT_EQ(refusal(token(next, claims(), R"({"alg":"ES256"})")), 0U);
}

TEST_F(BearerTokenTest, EmulatorTokensOnlyWhereAllowed) {
    const std::string text = base64url(R"({"alg":"RS256","typ":"JWT"})") + "." +
                             base64url(R"({"oid":"me","exp":)" + std::to_string(kNow + 60) + "}") +
                             "." + base64url(kAccountKey);
    EXPECT_NE(refusal(text), 0U);
    BearerTokens lenient({.issuers = {}, .audiences = {}, .accept_emulator_tokens = true}, keys_);
    const auto identity = lenient.check(text, kNow);
    ASSERT_TRUE(identity) << identity.error().message();
    EXPECT_TRUE((*identity)->trusted);
    EXPECT_FALSE(lenient.check(text, kNow + 10'000));
    const std::string other = text.substr(0, text.rfind('.') + 1);
    EXPECT_FALSE(lenient.check(other, kNow));
    EXPECT_FALSE(lenient.check(other + base64url("other key"), kNow));
    keys_.set(KeySlot::kPrimary, base64_encode(std::string(64, 'x')));
    EXPECT_FALSE(lenient.check(text, kNow)) << "the key is no longer valid";
}

TEST_F(BearerTokenTest, AsksForKeysThatItDoesNotKnow) {
    int asked = 0;
    BearerTokens tokens({.issuers = {"https://issuer/"},
                         .audiences = {"https://cosmos.azure.com"},
                         .accept_emulator_tokens = false,
                         .on_unknown_key = [&] { ++asked; }},
                        keys_);
    const auto before = tokens.check(token(ec(), claims()), kNow);
    ASSERT_FALSE(before);
    EXPECT_EQ(before.error().sub_status(), 5200U);
    EXPECT_NE(before.error().message().find("could not fetch the keys"), std::string::npos)
        << before.error().message();
    EXPECT_EQ(asked, 1);
    tokens.set_keys(*KeySet::parse(R"({"keys":[)" + ec().jwk() + "]}"));
    EXPECT_TRUE(tokens.check(token(ec(), claims()), kNow));
    EXPECT_EQ(asked, 1);
    const auto other = tokens.check(token(rsa(), claims()), kNow);
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().message().find("fetch"), std::string::npos);
    EXPECT_EQ(asked, 2);
    tokens.set_keys(*KeySet::parse(R"({"keys":[)" + ec().jwk() + "," + rsa().jwk() + "]}"));
    EXPECT_FALSE(tokens.check(token(ec(), claims(), R"({"alg":"ES256"})"), kNow));
    EXPECT_EQ(asked, 2) << "it names no key";
}

TEST_F(BearerTokenTest, ReadsOnlyUsableKeys) {
    const auto size_of = [](const std::string& text) {
        const auto keys = KeySet::parse(text);
        return keys ? keys->size() : 0;
    };
    const std::string good = ec().jwk();
    EXPECT_EQ(size_of(R"({"keys":[)" + good + "," + rsa().jwk() + "]}"), 2U);
    EXPECT_EQ(size_of(R"({"keys":[)" + rsa().jwk(R"(,"use":"sig","alg":"RS256")") + "]}"), 1U);
    for (const std::string& text :
         {std::string(),
          std::string("[]"),
          std::string("{}"),
          std::string(R"({"keys":[]})"),
          std::string(R"({"keys":[{}]})"),
          R"({"keys":[)" + ec().jwk(R"(,"use":"enc")") + "]}",
          R"({"keys":[)" + rsa().jwk(R"(,"alg":"PS256")") + "]}",
          std::string(R"({"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]})"),
          std::string(R"({"keys":[{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]})")}) {
        EXPECT_EQ(size_of(text), 0U) << text;
    }
    // A point that is not on the curve.
    const std::string zeros = base64url(std::string(32, '\1'));
    EXPECT_EQ(size_of(R"({"keys":[{"kty":"EC","crv":"P-256","x":")" + zeros + R"(","y":")" + zeros +
                      R"("}]})"),
              0U);
}

}  // namespace bearer_token_test
}  // namespace orrery::auth
