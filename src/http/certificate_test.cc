#include "http/certificate.h"

#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

namespace orrery::http {
namespace certificate_test {

constexpr std::int64_t kNow = 1'763'200'000;  // 2025-11-15
constexpr std::int64_t kDay = 24LL * 60 * 60;
constexpr std::int64_t kYear = 365 * kDay;

struct Deleter {
    void operator()(BIO* bio) const { BIO_free(bio); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(X509_STORE* store) const { X509_STORE_free(store); }
    void operator()(X509_STORE_CTX* context) const { X509_STORE_CTX_free(context); }
    void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
};
template <typename T>
using Owned = std::unique_ptr<T, Deleter>;

std::vector<Owned<X509>> parse(const std::string& pem) {
    const Owned<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    std::vector<Owned<X509>> parsed;
    while (X509* const next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
        parsed.emplace_back(next);
    }
    return parsed;
}

// An authority, a certificate that it has issued, and a client that trusts the authority.
class CertificateTest : public testing::Test {
protected:
    void issue(const std::vector<std::string>& authority_names,
               const std::vector<std::string>& names) {
        const auto made = make_authority(authority_names, kNow);
        ASSERT_TRUE(made) << made.error().message();
        issue_from(*made, names);
    }

    void issue_from(const Authority& authority, const std::vector<std::string>& names) {
        const auto issued = issue_certificate(authority, names, kNow);
        ASSERT_TRUE(issued) << issued.error().message();
        chain_ = parse(issued->certificate_pem);
        ASSERT_EQ(chain_.size(), 2U);
        trusted_ = std::move(parse(authority.certificate_pem).at(0));
    }

    // Verifies as a strict client that uses the authority's certificate as its CA file.
    int verify(const char* host, const char* address, std::int64_t at = kNow) const {
        const Owned<X509_STORE> store(X509_STORE_new());
        X509_STORE_add_cert(store.get(), trusted_.get());
        const Owned<X509_STORE_CTX> context(X509_STORE_CTX_new());
        X509_STORE_CTX_init(context.get(), store.get(), certificate(), nullptr);
        X509_VERIFY_PARAM* const param = X509_STORE_CTX_get0_param(context.get());
        X509_VERIFY_PARAM_set_time(param, at);
        X509_VERIFY_PARAM_set_flags(param,
                                    X509_V_FLAG_X509_STRICT | X509_V_FLAG_CHECK_SS_SIGNATURE);
        X509_VERIFY_PARAM_set_purpose(param, X509_PURPOSE_SSL_SERVER);
        if (host != nullptr) X509_VERIFY_PARAM_set1_host(param, host, 0);
        if (address != nullptr) X509_VERIFY_PARAM_set1_ip_asc(param, address);
        return X509_verify_cert(context.get()) == 1 ? X509_V_OK
                                                    : X509_STORE_CTX_get_error(context.get());
    }

    X509* certificate() const { return chain_.at(0).get(); }

    std::vector<Owned<X509>> chain_;
    Owned<X509> trusted_;
};

TEST_F(CertificateTest, VerifiesForItsNamesOnly) {
    const std::vector<std::string> names{"localhost", "db.example", "127.0.0.1", "::1"};
    issue(names, names);
    EXPECT_EQ(verify("localhost", nullptr), X509_V_OK);
    EXPECT_EQ(verify("db.example", nullptr), X509_V_OK);
    EXPECT_EQ(verify(nullptr, "127.0.0.1"), X509_V_OK);
    EXPECT_EQ(verify(nullptr, "::1"), X509_V_OK);
    EXPECT_EQ(verify("other.example", nullptr), X509_V_ERR_HOSTNAME_MISMATCH);
    EXPECT_EQ(verify(nullptr, "10.0.0.1"), X509_V_ERR_IP_ADDRESS_MISMATCH);
}

// Findings 29: rustls refuses an authority as a server certificate.
TEST_F(CertificateTest, TheServerCertificateIsAnEndEntity) {
    issue({"localhost"}, {"localhost"});
    EXPECT_EQ(X509_check_ca(certificate()), 0);
    EXPECT_EQ(X509_get_key_usage(certificate()), std::uint32_t{KU_DIGITAL_SIGNATURE});
    EXPECT_EQ(X509_get_extended_key_usage(certificate()), std::uint32_t{XKU_SSL_SERVER});
    EXPECT_NE(
        X509_NAME_cmp(X509_get_subject_name(certificate()), X509_get_issuer_name(certificate())),
        0);
}

TEST_F(CertificateTest, TheAuthorityOnlySigns) {
    issue({"localhost"}, {"localhost"});
    EXPECT_EQ(X509_check_ca(trusted_.get()), 1);
    EXPECT_EQ(X509_get_pathlen(trusted_.get()), 0);
    EXPECT_EQ(X509_get_key_usage(trusted_.get()),
              std::uint32_t{KU_KEY_CERT_SIGN} | std::uint32_t{KU_CRL_SIGN});
    EXPECT_EQ(X509_cmp(chain_.at(1).get(), trusted_.get()), 0);
}

TEST_F(CertificateTest, UsesEcKeys) {
    issue({"localhost"}, {"localhost"});
    for (X509* const each : {certificate(), trusted_.get()}) {
        EVP_PKEY* const key = X509_get0_pubkey(each);
        EXPECT_EQ(EVP_PKEY_get_base_id(key), EVP_PKEY_EC);
        EXPECT_EQ(EVP_PKEY_get_bits(key), 256);
        EXPECT_EQ(X509_get_signature_nid(each), NID_ecdsa_with_SHA256);
    }
}

TEST_F(CertificateTest, IsValidForAsLongAsAppleAccepts) {
    issue({"localhost"}, {"localhost"});
    int days = 0;
    int seconds = 0;
    ASSERT_EQ(
        ASN1_TIME_diff(
            &days, &seconds, X509_get0_notBefore(certificate()), X509_get0_notAfter(certificate())),
        1);
    EXPECT_EQ(days, 825);
    EXPECT_EQ(verify("localhost", nullptr, kNow + 823 * kDay), X509_V_OK);
    EXPECT_EQ(verify("localhost", nullptr, kNow + 826 * kDay), X509_V_ERR_CERT_HAS_EXPIRED);
    EXPECT_EQ(verify("localhost", nullptr, kNow - 2 * kDay), X509_V_ERR_CERT_NOT_YET_VALID);
}

TEST_F(CertificateTest, TheAuthorityIsValidForTenYears) {
    const auto authority = make_authority({"localhost"}, kNow);
    ASSERT_TRUE(authority);
    const std::int64_t later = kNow + 10 * kYear;
    const auto issued = issue_certificate(*authority, {"localhost"}, later);
    ASSERT_TRUE(issued);
    chain_ = parse(issued->certificate_pem);
    trusted_ = std::move(parse(authority->certificate_pem).at(0));
    EXPECT_EQ(verify("localhost", nullptr, later), X509_V_OK);
    EXPECT_EQ(verify("localhost", nullptr, later + kYear), X509_V_ERR_CERT_HAS_EXPIRED);
}

TEST_F(CertificateTest, LeavesOutNamesTheAuthorityWasNotMadeFor) {
    issue(
        {"localhost", "127.0.0.1", "::1"},
        {"localhost", "renamed", "localhost.evil.example", "127.0.0.1", "127.0.0.2", "::1", "::2"});
    const Owned<GENERAL_NAMES> names(static_cast<GENERAL_NAMES*>(
        X509_get_ext_d2i(certificate(), NID_subject_alt_name, nullptr, nullptr)));
    ASSERT_TRUE(names);
    EXPECT_EQ(sk_GENERAL_NAME_num(names.get()), 3);
    EXPECT_EQ(verify("localhost", nullptr), X509_V_OK);
    EXPECT_EQ(verify(nullptr, "127.0.0.1"), X509_V_OK);
    EXPECT_EQ(verify(nullptr, "::1"), X509_V_OK);
    EXPECT_EQ(verify("renamed", nullptr), X509_V_ERR_HOSTNAME_MISMATCH);
}

// Before ADR 10 the server certificate was its own authority, without name constraints. Clients
// that trust it already trust what it signs.
TEST_F(CertificateTest, SelfSignedCertificatesOfOldDataDirectoriesCanSign) {
    issue_from({.certificate_pem = R"(-----BEGIN CERTIFICATE-----
MIIBzTCCAXKgAwIBAgIUSR7NuBGlVo3+IJ0vAyRlNcNAJ8gwCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGT3JyZXJ5MB4XDTI1MTExNDA5NDY0MFoXDTM1MTExNTA5NDY0
MFowETEPMA0GA1UEAwwGT3JyZXJ5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
DgRzowcC4rQJE5pJUCrCCmm3HwmbLbxniqfEZtONmHjSnykPGXTFGYd1irSy+Ygd
BzpTYbMs//IRk0tBc2aDg6OBpzCBpDAPBgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB
/wQEAwIBhjATBgNVHSUEDDAKBggrBgEFBQcDATAdBgNVHQ4EFgQUYO19rS0sr8Ss
JS2Y9I2zauoWjeAwHwYDVR0jBBgwFoAUYO19rS0sr8SsJS2Y9I2zauoWjeAwLAYD
VR0RBCUwI4IJbG9jYWxob3N0hwR/AAABhxAAAAAAAAAAAAAAAAAAAAABMAoGCCqG
SM49BAMCA0kAMEYCIQCb/5iy6i5kJ2eOYN6gJ26xXk3QEjV9Skz9bgD7A0n5qgIh
AN+c7WSnN6LWj+2lH60sMwlRKbopbaMY2SOrnPZSb9ol
-----END CERTIFICATE-----
)",
                .private_key_pem = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQzgBVZf52+spiffv
y2dHxLbjIrx2oidwUSqowAT1MJyhRANCAAQOBHOjBwLitAkTmklQKsIKabcfCZst
vGeKp8Rm042YeNKfKQ8ZdMUZh3WKtLL5iB0HOlNhsyz/8hGTS0FzZoOD
-----END PRIVATE KEY-----
)"},
               {"localhost", "renamed", "127.0.0.1"});
    EXPECT_EQ(X509_check_ca(certificate()), 0);
    EXPECT_EQ(verify("localhost", nullptr), X509_V_OK);
    EXPECT_EQ(verify("renamed", nullptr), X509_V_OK);
    EXPECT_EQ(verify(nullptr, "127.0.0.1"), X509_V_OK);
}

TEST(Certificate, TwoAuthoritiesDifferInKeyAndSerial) {
    const auto one = make_authority({"localhost"}, kNow);
    const auto two = make_authority({"localhost"}, kNow);
    ASSERT_TRUE(one && two);
    EXPECT_NE(one->private_key_pem, two->private_key_pem);
    EXPECT_NE(ASN1_INTEGER_cmp(X509_get_serialNumber(parse(one->certificate_pem).at(0).get()),
                               X509_get_serialNumber(parse(two->certificate_pem).at(0).get())),
              0);
}

TEST(Certificate, OnlyAnAuthorityIssues) {
    const auto authority = make_authority({"localhost"}, kNow);
    const auto other = make_authority({"localhost"}, kNow);
    ASSERT_TRUE(authority && other);
    const auto issued = issue_certificate(*authority, {"localhost"}, kNow);
    ASSERT_TRUE(issued);
    for (const Authority& wrong : {Authority{issued->certificate_pem, issued->private_key_pem},
                                   Authority{authority->certificate_pem, other->private_key_pem},
                                   Authority{"no certificate", authority->private_key_pem},
                                   Authority{authority->certificate_pem, "no key"}}) {
        const auto refused = issue_certificate(wrong, {"localhost"}, kNow);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code(), ErrorCode::kBadRequest);
    }
}

TEST(Certificate, RefusesInvalidNames) {
    const auto authority = make_authority({"localhost"}, kNow);
    ASSERT_TRUE(authority);
    for (const char* wrong : {"a,IP:1.2.3.4", "", "two words"}) {
        EXPECT_FALSE(make_authority({wrong}, kNow)) << wrong;
        EXPECT_FALSE(issue_certificate(*authority, {wrong}, kNow)) << wrong;
    }
}

TEST(Certificate, NamesOfThisMachineBeginWithLoopback) {
    const std::vector<std::string> names = names_of_this_machine();
    EXPECT_THAT(names, testing::IsSupersetOf({"localhost", "127.0.0.1", "::1"}));
    EXPECT_TRUE(make_authority(names, kNow));
}

}  // namespace certificate_test
}  // namespace orrery::http
