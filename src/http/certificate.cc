#include "http/certificate.h"

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

#include "base/log.h"

namespace orrery::http {

namespace {

constexpr std::int64_t kDaySeconds = 24LL * 60 * 60;
constexpr std::int64_t kAuthorityDays = 3652;  // ten years
constexpr std::int64_t kCertificateDays = 825;
constexpr std::string_view kAuthoritySubject = "Orrery authority";
constexpr std::string_view kCertificateSubject = "Orrery server";
constexpr std::string_view kNameLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_*:";
constexpr int kSerialBits = 127;  // positive in 16 bytes; RFC 5280 allows 20

struct Deleter {
    void operator()(BIO* bio) const { BIO_free(bio); }
    void operator()(BIGNUM* number) const { BN_free(number); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
    void operator()(NAME_CONSTRAINTS* limits) const { NAME_CONSTRAINTS_free(limits); }
};
template <typename T>
using Owned = std::unique_ptr<T, Deleter>;

struct KeyPair {
    Owned<X509> certificate;
    Owned<EVP_PKEY> key;
};

struct Identity {
    std::string_view subject;
    std::int64_t from;
    std::int64_t until;
};

Error failed(const std::string& what) {
    char reason[256] = "no reason given";
    if (const unsigned long code = ERR_get_error(); code != 0) {
        ERR_error_string_n(code, reason, sizeof reason);
    }
    ERR_clear_error();
    return Error(ErrorCode::kInternal, "cannot make a certificate: " + what + ": " + reason);
}

bool is_address(const std::string& name) {
    boost::system::error_code ec;
    boost::asio::ip::make_address(name, ec);
    return !ec;
}

// The extension syntax separates names by commas, so names must not contain any.
bool is_plain_name(const std::string& name) {
    return !name.empty() && name.find_first_not_of(kNameLetters) == std::string::npos;
}

Status check_names(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (!is_plain_name(name)) {
            return Error(ErrorCode::kBadRequest, "'" + name + "' is not a host name or address");
        }
    }
    return {};
}

std::string joined(const std::vector<std::string>& names,
                   std::string (*entry)(const std::string&)) {
    std::string out;
    for (const std::string& name : names)
        out += (out.empty() ? "" : ",") + entry(name);
    return out;
}

// localhost -> DNS:localhost, 127.0.0.1 -> IP:127.0.0.1
std::string alternative_name(const std::string& name) {
    return (is_address(name) ? "IP:" : "DNS:") + name;
}

// 127.0.0.1 -> permitted;IP:127.0.0.1/255.255.255.255
std::string permitted_name(const std::string& name) {
    std::string mask;
    if (is_address(name)) {
        mask = name.find(':') == std::string::npos ? "/255.255.255.255"
                                                   : "/ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
    }
    return "permitted;" + alternative_name(name) + mask;
}

bool set_identity(X509* certificate, EVP_PKEY* key, const Identity& identity) {
    const Owned<BIGNUM> serial(BN_new());
    if (!serial || BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) != 1 ||
        BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) == nullptr) {
        return false;
    }
    return X509_set_version(certificate, X509_VERSION_3) == 1 &&
           ASN1_TIME_set(X509_getm_notBefore(certificate), identity.from) != nullptr &&
           ASN1_TIME_set(X509_getm_notAfter(certificate), identity.until) != nullptr &&
           X509_set_pubkey(certificate, key) == 1 &&
           X509_NAME_add_entry_by_txt(
               X509_get_subject_name(certificate),
               "CN",
               MBSTRING_ASC,
               reinterpret_cast<const unsigned char*>(identity.subject.data()),
               static_cast<int>(identity.subject.size()),
               -1,
               0) == 1;
}

bool add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    const Owned<X509_EXTENSION> extension(
        X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
    return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool add_authority_extensions(X509* certificate, const std::vector<std::string>& names) {
    const auto add = [certificate](int kind, const std::string& value) {
        return add_extension(certificate, certificate, kind, value);
    };
    return add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
           add(NID_key_usage, "critical,keyCertSign,cRLSign") &&
           add(NID_ext_key_usage, "serverAuth") && add(NID_subject_key_identifier, "hash") &&
           add(NID_authority_key_identifier, "keyid:always") &&
           add(NID_name_constraints, "critical," + joined(names, permitted_name));
}

bool add_server_extensions(X509* certificate, X509* issuer, const std::vector<std::string>& names) {
    const auto add = [certificate, issuer](int kind, const std::string& value) {
        return add_extension(certificate, issuer, kind, value);
    };
    return add(NID_basic_constraints, "critical,CA:FALSE") &&
           add(NID_key_usage, "critical,digitalSignature") &&
           add(NID_ext_key_usage, "serverAuth") && add(NID_subject_key_identifier, "hash") &&
           add(NID_authority_key_identifier, "keyid:always") &&
           add(NID_subject_alt_name, joined(names, alternative_name));
}

bool permits(X509* authority, NAME_CONSTRAINTS* limits, const std::string& name) {
    const Owned<X509> probe(X509_new());
    if (!probe ||
        !add_extension(probe.get(), authority, NID_subject_alt_name, alternative_name(name))) {
        return false;
    }
    X509_check_purpose(probe.get(), -1, 0);  // parses the extensions, which the check reads
    const bool permitted = NAME_CONSTRAINTS_check(probe.get(), limits) == X509_V_OK;
    ERR_clear_error();  // the probe is not signed
    return permitted;
}

// One name outside the authority's constraints makes clients refuse the whole certificate.
std::vector<std::string> permitted_names(X509* authority, const std::vector<std::string>& names) {
    const Owned<NAME_CONSTRAINTS> limits(static_cast<NAME_CONSTRAINTS*>(
        X509_get_ext_d2i(authority, NID_name_constraints, nullptr, nullptr)));
    if (!limits) return names;
    std::vector<std::string> permitted;
    for (const std::string& name : names) {
        if (permits(authority, limits.get(), name)) {
            permitted.push_back(name);
        } else {
            log::info("certificate without a name its authority cannot sign for", {{"name", name}});
        }
    }
    return permitted;
}

std::string text_of(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    return {data, static_cast<std::size_t>(size)};
}

Result<std::string> pem_of(X509* certificate) {
    const Owned<BIO> bio(BIO_new(BIO_s_mem()));
    if (!bio || PEM_write_bio_X509(bio.get(), certificate) != 1) return failed("PEM");
    return text_of(bio.get());
}

Result<std::string> pem_of(EVP_PKEY* key) {
    const Owned<BIO> bio(BIO_new(BIO_s_mem()));
    if (!bio ||
        PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
        return failed("PEM");
    }
    return text_of(bio.get());
}

Owned<BIO> reader_of(const std::string& pem) {
    return Owned<BIO>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

Result<KeyPair> parse(const Authority& authority) {
    KeyPair parsed{.certificate = Owned<X509>(PEM_read_bio_X509(
                       reader_of(authority.certificate_pem).get(), nullptr, nullptr, nullptr)),
                   .key = Owned<EVP_PKEY>(PEM_read_bio_PrivateKey(
                       reader_of(authority.private_key_pem).get(), nullptr, nullptr, nullptr))};
    ERR_clear_error();
    if (!parsed.certificate || !parsed.key ||
        X509_check_private_key(parsed.certificate.get(), parsed.key.get()) != 1 ||
        X509_check_ca(parsed.certificate.get()) != 1) {
        ERR_clear_error();
        return Error(ErrorCode::kBadRequest, "not the certificate of an authority and its key");
    }
    return parsed;
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

Result<Authority> make_authority(const std::vector<std::string>& names, std::int64_t now_seconds) {
    TRY(check_names(names));
    const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
    const Owned<X509> certificate(X509_new());
    if (!key || !certificate) return failed("key");
    if (!set_identity(certificate.get(),
                      key.get(),
                      {.subject = kAuthoritySubject,
                       .from = now_seconds - kDaySeconds,
                       .until = now_seconds + kAuthorityDays * kDaySeconds}) ||
        X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get())) != 1) {
        return failed("identity");
    }
    if (!add_authority_extensions(certificate.get(), names)) return failed("extensions");
    if (X509_sign(certificate.get(), key.get(), EVP_sha256()) == 0) return failed("signature");
    return Authority{.certificate_pem = TRY(pem_of(certificate.get())),
                     .private_key_pem = TRY(pem_of(key.get()))};
}

Result<TlsIdentity> issue_certificate(const Authority& authority,
                                      const std::vector<std::string>& names,
                                      std::int64_t now_seconds) {
    TRY(check_names(names));
    const KeyPair issuer = TRY(parse(authority));
    const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
    const Owned<X509> certificate(X509_new());
    if (!key || !certificate) return failed("key");
    if (!set_identity(certificate.get(),
                      key.get(),
                      {.subject = kCertificateSubject,
                       .from = now_seconds - kDaySeconds,
                       .until = now_seconds + (kCertificateDays - 1) * kDaySeconds}) ||
        X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer.certificate.get())) !=
            1) {
        return failed("identity");
    }
    if (!add_server_extensions(certificate.get(),
                               issuer.certificate.get(),
                               permitted_names(issuer.certificate.get(), names))) {
        return failed("extensions");
    }
    if (X509_sign(certificate.get(), issuer.key.get(), EVP_sha256()) == 0) {
        return failed("signature");
    }
    return TlsIdentity{
        .certificate_pem = TRY(pem_of(certificate.get())) + TRY(pem_of(issuer.certificate.get())),
        .private_key_pem = TRY(pem_of(key.get()))};
}

}  // namespace orrery::http
