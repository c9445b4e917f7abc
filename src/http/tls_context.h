// Server-side TLS: the certificate, key and settings shared by all connections.

#pragma once

#include <memory>
#include <string>

#include <openssl/ssl.h>

#include "base/result.h"
#include "http/server.h"

namespace orrery::http {

struct SslDeleter {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* ssl) const { SSL_free(ssl); }
};
using SslPointer = std::unique_ptr<SSL, SslDeleter>;

class TlsContext {
public:
    // kBadRequest if the PEM texts are not a certificate chain and its private key, or the
    // authorities are not certificates. Unless these are empty, clients must present a certificate
    // that one of them has signed.
    static Result<TlsContext> from_pem(const TlsIdentity& identity,
                                       const std::string& client_authorities_pem = {});

    // A session on a connected, non-blocking socket; null if out of memory.
    SslPointer accept_on(int socket) const;

private:
    explicit TlsContext(SSL_CTX* context) : context_(context) {}

    std::unique_ptr<SSL_CTX, SslDeleter> context_;
};

}  // namespace orrery::http
