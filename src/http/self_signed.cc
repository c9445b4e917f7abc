#include "http/self_signed.h"

#include <array>
#include <memory>
#include <string_view>
#include <unistd.h>

#include <boost/asio/ip/address.hpp>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

namespace orrery::http {

namespace {

constexpr std::int64_t kDaySeconds = 24LL * 60 * 60;
constexpr std::int64_t kValidSeconds = 3652 * kDaySeconds;  // ten years
constexpr std::string_view kSubject = "Orrery";
constexpr std::string_view kNameLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_*:";
constexpr int kSerialBits = 127;  // positive in 16 bytes; RFC 5280 allows 20

struct Deleter {
    void operator()(BIO* bio) const { BIO_free(bio); }
    void operator()(BIGNUM* number) const { BN_free(number); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
template <typename T>
using Owned = std::unique_ptr<T, Deleter>;

Error failed(const std::string& what) {
    char reason[256] = "no reason given";
    if (const unsigned long code = ERR_get_error(); code != 0) {
        ERR_error_string_n(code, reason, sizeof reason);
    }
    ERR_clear_error();
    return Error(ErrorCode::kInternal, "cannot make a certificate: " + what + ": " + reason);
}

// The extension syntax separates names by commas, so names must not contain any.
bool is_plain_name(const std::string& name) {
    return !name.empty() && name.find_first_not_of(kNameLetters) == std::string::npos;
}

std::string alternative_names(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) {
        boost::system::error_code ec;
        boost::asio::ip::make_address(name, ec);
        out += out.empty() ? "" : ",";
        out += (ec ? "DNS:" : "IP:") + name;
    }
    return out;
}

bool set_identity(X509* certificate, EVP_PKEY* key, std::int64_t now_seconds) {
    const Owned<BIGNUM> serial(BN_new());
    if (!serial || BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) != 1 ||
        BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) == nullptr) {
        return false;
    }
    X509_NAME* const name = X509_get_subject_name(certificate);
    return X509_set_version(certificate, X509_VERSION_3) == 1 &&
           ASN1_TIME_set(X509_getm_notBefore(certificate), now_seconds - kDaySeconds) != nullptr &&
           ASN1_TIME_set(X509_getm_notAfter(certificate), now_seconds + kValidSeconds) != nullptr &&
           X509_set_pubkey(certificate, key) == 1 &&
           X509_NAME_add_entry_by_txt(name,
                                      "CN",
                                      MBSTRING_ASC,
                                      reinterpret_cast<const unsigned char*>(kSubject.data()),
                                      static_cast<int>(kSubject.size()),
                                      -1,
                                      0) == 1 &&
           X509_set_issuer_name(certificate, name) == 1;
}

bool add_extension(X509* certificate, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    const Owned<X509_EXTENSION> extension(
        X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
    return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool add_extensions(X509* certificate, const std::vector<std::string>& names) {
    return add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
           add_extension(
               certificate, NID_key_usage, "critical,digitalSignature,keyCertSign,cRLSign") &&
           add_extension(certificate, NID_ext_key_usage, "serverAuth") &&
           add_extension(certificate, NID_subject_key_identifier, "hash") &&
           add_extension(certificate, NID_authority_key_identifier, "keyid:always") &&
           add_extension(certificate, NID_subject_alt_name, alternative_names(names));
}

std::string text_of(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return {data, static_cast<std::size_t>(size)};
}

}  // namespace

std::vector<std::string> names_of_this_machine() {
    std::vector<std::string> names{"localhost", "127.0.0.1", "::1"};
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) == 0) {
        const std::string name = host.data();
        if (is_plain_name(name) && name != "localhost") names.push_back(name);
    }
    return names;
}

Result<TlsIdentity> make_self_signed(const std::vector<std::string>& names,
                                     std::int64_t now_seconds) {
    for (const std::string& name : names) {
        if (!is_plain_name(name)) {
            return Error(ErrorCode::kBadRequest, "'" + name + "' is not a host name or address");
        }
    }
    const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
    const Owned<X509> certificate(X509_new());
    if (!key || !certificate) return failed("key");
    if (!set_identity(certificate.get(), key.get(), now_seconds)) return failed("identity");
    if (!add_extensions(certificate.get(), names)) return failed("extensions");
    if (X509_sign(certificate.get(), key.get(), EVP_sha256()) == 0) return failed("signature");

    const Owned<BIO> certificate_pem(BIO_new(BIO_s_mem()));
    const Owned<BIO> key_pem(BIO_new(BIO_s_mem()));
    if (!certificate_pem || !key_pem ||
        PEM_write_bio_X509(certificate_pem.get(), certificate.get()) != 1 ||
        PEM_write_bio_PrivateKey(key_pem.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
            1) {
        return failed("PEM");
    }
    return TlsIdentity{.certificate_pem = text_of(certificate_pem.get()),
                       .private_key_pem = text_of(key_pem.get())};
}

}  // namespace orrery::http
