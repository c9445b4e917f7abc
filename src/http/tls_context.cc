#include "http/tls_context.h"

#include <string>
#include <string_view>

#include <openssl/err.h>
#include <openssl/pem.h>

namespace orrery::http {

namespace {

constexpr std::string_view kHttp11 = "http/1.1";
// Of TLS 1.2, those with forward secrecy and authenticated encryption. Those of TLS 1.3 all have
// both.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

struct PemDeleter {
    void operator()(BIO* bio) const { BIO_free(bio); }
    void operator()(X509* certificate) const { X509_free(certificate); }
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509_STORE* store) const { X509_STORE_free(store); }
};
template <typename T>
using Owned = std::unique_ptr<T, PemDeleter>;

Owned<BIO> read_only_bio(const std::string& text) {
    return Owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Error bad_identity(const std::string& what) {
    char reason[256] = "no reason given";
    if (const unsigned long code = ERR_get_error(); code != 0) {
        ERR_error_string_n(code, reason, sizeof reason);
    }
    ERR_clear_error();
    return Error(ErrorCode::kBadRequest, what + ": " + reason);
}

// Prompting for a passphrase would block the server's start.
int refuse_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*data*/) { return 0; }

Status use_certificates(SSL_CTX* context, const std::string& pem) {
    const Owned<BIO> bio = read_only_bio(pem);
    const Owned<X509> leaf(PEM_read_bio_X509_AUX(bio.get(), nullptr, refuse_passphrase, nullptr));
    if (!leaf || SSL_CTX_use_certificate(context, leaf.get()) != 1) {
        return bad_identity("cannot use the TLS certificate");
    }
    while (X509* const issuer = PEM_read_bio_X509(bio.get(), nullptr, refuse_passphrase, nullptr)) {
        if (SSL_CTX_add0_chain_cert(context, issuer) != 1) {
            X509_free(issuer);
            return bad_identity("cannot use the TLS certificate chain");
        }
    }
    ERR_clear_error();  // the end of the text reads as an error
    return {};
}

Status use_private_key(SSL_CTX* context, const std::string& pem) {
    const Owned<BIO> bio = read_only_bio(pem);
    const Owned<EVP_PKEY> key(
        PEM_read_bio_PrivateKey(bio.get(), nullptr, refuse_passphrase, nullptr));
    if (!key || SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
        return bad_identity("cannot use the TLS private key");
    }
    return {};
}

// Selects http/1.1 if the client offers it; other clients are served without ALPN.
int choose_protocol(SSL* /*ssl*/,
                    const unsigned char** out,
                    unsigned char* out_size,
                    const unsigned char* offered,
                    unsigned int offered_size,
                    void* /*data*/) {
    for (unsigned int at = 0; at < offered_size;) {
        const unsigned char size = offered[at];
        const auto* const name = offered + at + 1;
        if (at + 1 + size > offered_size) break;
        if (std::string_view(reinterpret_cast<const char*>(name), size) == kHttp11) {
            *out = name;
            *out_size = size;
            return SSL_TLSEXT_ERR_OK;
        }
        at += 1U + size;
    }
    return SSL_TLSEXT_ERR_NOACK;
}

Status require_client_certificates(SSL_CTX* context, const std::string& authorities_pem) {
    constexpr const char* kProblem = "cannot use the authorities of client certificates";
    const Owned<BIO> bio = read_only_bio(authorities_pem);
    Owned<X509_STORE> store(X509_STORE_new());
    if (!store) return bad_identity(kProblem);
    std::size_t count = 0;
    while (const Owned<X509> authority{
        PEM_read_bio_X509(bio.get(), nullptr, refuse_passphrase, nullptr)}) {
        if (X509_STORE_add_cert(store.get(), authority.get()) != 1 ||
            SSL_CTX_add_client_CA(context, authority.get()) != 1) {
            return bad_identity(kProblem);
        }
        ++count;
    }
    // The end of the text reads as an error of its own; any other means a damaged certificate.
    const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    if (count == 0 || !at_end) return bad_identity(kProblem);
    ERR_clear_error();
    // An intermediate authority in the file is trusted without its root.
    X509_STORE_set_flags(store.get(), X509_V_FLAG_PARTIAL_CHAIN);
    SSL_CTX_set0_verify_cert_store(context, store.release());
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    // A resumed session would not be checked again, so there are none.
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(context, 0);
    return {};
}

}  // namespace

Result<TlsContext> TlsContext::from_pem(const TlsIdentity& identity,
                                        const std::string& client_authorities_pem) {
    ERR_clear_error();
    TlsContext made(SSL_CTX_new(TLS_server_method()));
    SSL_CTX* const context = made.context_.get();
    if (context == nullptr) return bad_identity("cannot set up TLS");
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    if (SSL_CTX_set_cipher_list(context, kCiphers) != 1) return bad_identity("cannot set up TLS");
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    // Idle connections hold no record buffers; writes may be partial and from a moved buffer.
    SSL_CTX_set_mode(context,
                     SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                         SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(context, 1);  // reads a record in one call instead of two
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
    TRY(use_certificates(context, identity.certificate_pem));
    TRY(use_private_key(context, identity.private_key_pem));
    if (SSL_CTX_check_private_key(context) != 1) {
        return bad_identity("the TLS private key does not belong to the certificate");
    }
    if (!client_authorities_pem.empty()) {
        TRY(require_client_certificates(context, client_authorities_pem));
    }
    return made;
}

SslPointer TlsContext::accept_on(int socket) const {
    SslPointer ssl(SSL_new(context_.get()));
    if (ssl && SSL_set_fd(ssl.get(), socket) == 1) SSL_set_accept_state(ssl.get());
    return ssl;
}

}  // namespace orrery::http
