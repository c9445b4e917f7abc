// Certificates of clients, for tests: authorities, and what they sign.

#pragma once

#include <memory>
#include <string>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace orrery::http {

class TestCertificate {
public:
    struct Options {
        const TestCertificate* issuer = nullptr;  // null: itself
        bool authority = false;
        long valid_from = -3600;  // seconds from now
        long valid_until = 3600;
        const char* usage = "clientAuth";  // of one that is no authority
    };

    TestCertificate(const char* name, const Options& options)
        : key_(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"), EVP_PKEY_free),
          certificate_(X509_new(), X509_free) {
        static long serial = 0;
        const TestCertificate& issuer = options.issuer != nullptr ? *options.issuer : *this;
        X509* const made = certificate_.get();
        X509_set_version(made, X509_VERSION_3);
        ASN1_INTEGER_set(X509_get_serialNumber(made), ++serial);
        X509_gmtime_adj(X509_getm_notBefore(made), options.valid_from);
        X509_gmtime_adj(X509_getm_notAfter(made), options.valid_until);
        X509_set_pubkey(made, key_.get());
        const auto* text = reinterpret_cast<const unsigned char*>(name);  // NOLINT: OpenSSL's type
        X509_NAME_add_entry_by_txt(
            X509_get_subject_name(made), "CN", MBSTRING_UTF8, text, -1, -1, 0);
        X509_set_issuer_name(made, X509_get_subject_name(issuer.certificate_.get()));
        extend(NID_basic_constraints, options.authority ? "critical,CA:TRUE" : "CA:FALSE");
        if (!options.authority) extend(NID_ext_key_usage, options.usage);
        X509_sign(made, issuer.key_.get(), EVP_sha256());
    }

    std::string pem() const {
        const std::unique_ptr<BIO, int (*)(BIO*)> bio(BIO_new(BIO_s_mem()), BIO_free);
        PEM_write_bio_X509(bio.get(), certificate_.get());
        char* text = nullptr;
        const long size = BIO_get_mem_data(bio.get(), &text);
        return {text, static_cast<std::size_t>(size)};
    }

    void use(SSL_CTX* context) const {
        SSL_CTX_use_certificate(context, certificate_.get());
        SSL_CTX_use_PrivateKey(context, key_.get());
    }
    void add_to_chain(SSL_CTX* context) const {
        SSL_CTX_add1_chain_cert(context, certificate_.get());
    }

private:
    void extend(int id, const char* value) {
        X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, id, value);
        X509_add_ext(certificate_.get(), extension, -1);
        X509_EXTENSION_free(extension);
    }

    std::shared_ptr<EVP_PKEY> key_;
    std::shared_ptr<X509> certificate_;
};

}  // namespace orrery::http
