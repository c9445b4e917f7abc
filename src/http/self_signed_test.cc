#include "http/self_signed.h"

#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

namespace orrery::http {
namespace {

constexpr std::int64_t kNow = 1'763'200'000;  // 2025-11-15
constexpr std::int64_t kYear = 365LL * 24 * 60 * 60;

struct Deleter {
    void operator()(BIO* bio) const { BIO_free(bio); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509_STORE* store) const { X509_STORE_free(store); }
    void operator()(X509_STORE_CTX* context) const { X509_STORE_CTX_free(context); }
};
template <typename T>
using Owned = std::unique_ptr<T, Deleter>;

Owned<X509> certificate_of(const TlsIdentity& identity) {
    const Owned<BIO> bio(BIO_new_mem_buf(identity.certificate_pem.data(),
                                         static_cast<int>(identity.certificate_pem.size())));
    return Owned<X509>(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
}

// Verifies as a strict client that uses the certificate as its CA file.
int verify(X509* certificate, std::int64_t at, const char* host, const char* address) {
    const Owned<X509_STORE> store(X509_STORE_new());
    X509_STORE_add_cert(store.get(), certificate);
    const Owned<X509_STORE_CTX> context(X509_STORE_CTX_new());
    X509_STORE_CTX_init(context.get(), store.get(), certificate, nullptr);
    X509_VERIFY_PARAM* const param = X509_STORE_CTX_get0_param(context.get());
    X509_VERIFY_PARAM_set_time(param, at);
    X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_X509_STRICT | X509_V_FLAG_CHECK_SS_SIGNATURE);
    X509_VERIFY_PARAM_set_purpose(param, X509_PURPOSE_SSL_SERVER);
    if (host != nullptr) X509_VERIFY_PARAM_set1_host(param, host, 0);
    if (address != nullptr) X509_VERIFY_PARAM_set1_ip_asc(param, address);
    return X509_verify_cert(context.get()) == 1 ? X509_V_OK
                                                : X509_STORE_CTX_get_error(context.get());
}

TEST(SelfSigned, VerifiesForItsNamesOnly) {
    const auto identity = make_self_signed({"localhost", "db.example", "127.0.0.1", "::1"}, kNow);
    ASSERT_TRUE(identity) << identity.error().message();
    const Owned<X509> certificate = certificate_of(*identity);
    ASSERT_TRUE(certificate);
    EXPECT_EQ(verify(certificate.get(), kNow, "localhost", nullptr), X509_V_OK);
    EXPECT_EQ(verify(certificate.get(), kNow, "db.example", nullptr), X509_V_OK);
    EXPECT_EQ(verify(certificate.get(), kNow, nullptr, "127.0.0.1"), X509_V_OK);
    EXPECT_EQ(verify(certificate.get(), kNow, nullptr, "::1"), X509_V_OK);
    EXPECT_EQ(verify(certificate.get(), kNow, "other.example", nullptr),
              X509_V_ERR_HOSTNAME_MISMATCH);
    EXPECT_EQ(verify(certificate.get(), kNow, nullptr, "10.0.0.1"), X509_V_ERR_IP_ADDRESS_MISMATCH);
}

TEST(SelfSigned, IsValidForTenYears) {
    const auto identity = make_self_signed({"localhost"}, kNow);
    ASSERT_TRUE(identity);
    const Owned<X509> certificate = certificate_of(*identity);
    EXPECT_EQ(verify(certificate.get(), kNow + 10 * kYear, "localhost", nullptr), X509_V_OK);
    EXPECT_EQ(verify(certificate.get(), kNow + 11 * kYear, "localhost", nullptr),
              X509_V_ERR_CERT_HAS_EXPIRED);
    EXPECT_EQ(verify(certificate.get(), kNow - kYear, "localhost", nullptr),
              X509_V_ERR_CERT_NOT_YET_VALID);
}

TEST(SelfSigned, IsACertificateAuthorityWithAnEcKey) {
    const auto identity = make_self_signed({"localhost"}, kNow);
    ASSERT_TRUE(identity);
    const Owned<X509> certificate = certificate_of(*identity);
    EXPECT_EQ(X509_check_ca(certificate.get()), 1);
    const std::uint32_t usage = X509_get_key_usage(certificate.get());
    EXPECT_TRUE(usage & KU_DIGITAL_SIGNATURE);
    EXPECT_TRUE(usage & KU_KEY_CERT_SIGN);
    EXPECT_EQ(X509_get_extended_key_usage(certificate.get()), std::uint32_t{XKU_SSL_SERVER});
    EVP_PKEY* const key = X509_get0_pubkey(certificate.get());
    EXPECT_EQ(EVP_PKEY_get_base_id(key), EVP_PKEY_EC);
    EXPECT_EQ(EVP_PKEY_get_bits(key), 256);
    EXPECT_EQ(X509_get_signature_nid(certificate.get()), NID_ecdsa_with_SHA256);
}

TEST(SelfSigned, TwoDifferInKeyAndSerial) {
    const auto one = make_self_signed({"localhost"}, kNow);
    const auto two = make_self_signed({"localhost"}, kNow);
    ASSERT_TRUE(one && two);
    EXPECT_NE(one->private_key_pem, two->private_key_pem);
    EXPECT_NE(ASN1_INTEGER_cmp(X509_get_serialNumber(certificate_of(*one).get()),
                               X509_get_serialNumber(certificate_of(*two).get())),
              0);
}

TEST(SelfSigned, RefusesInvalidNames) {
    EXPECT_FALSE(make_self_signed({"a,IP:1.2.3.4"}, kNow));
    EXPECT_FALSE(make_self_signed({""}, kNow));
    EXPECT_FALSE(make_self_signed({"two words"}, kNow));
}

TEST(SelfSigned, NamesOfThisMachineBeginWithLoopback) {
    const std::vector<std::string> names = names_of_this_machine();
    EXPECT_THAT(names, testing::IsSupersetOf({"localhost", "127.0.0.1", "::1"}));
    EXPECT_TRUE(make_self_signed(names, kNow));
}

}  // namespace
}  // namespace orrery::http
