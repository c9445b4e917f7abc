// The account key and the TLS certificate. Created on the first start if not given, and kept in the
// data directory.

#pragma once

#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "http/server.h"
#include "server/config.h"

namespace orrery::server {

struct AccountKey {
    std::string base64;
    // Where the key is stored; empty for the emulator's public key.
    std::string origin;
};

// The key in a file, with white space. The emulator's public key is refused off loopback.
Result<AccountKey> read_key(const std::string& path, bool loopback);

// The key from the key file; otherwise, on loopback, the emulator's public key, which every SDK
// sample uses; otherwise a random one, kept in the data directory. The public key is refused on any
// other address.
Result<AccountKey> account_key(const ServeConfig& config, Random& random);

struct ServerCertificate {
    http::TlsIdentity tls;
    // The certificate that clients trust: the authority's, or the given one.
    std::string trusted_pem;
};

// The given files; otherwise a new certificate on every start, signed by the authority in the data
// directory, which is created on the first start. An ephemeral server keeps its authority in
// memory.
Result<ServerCertificate> server_certificate(const ServeConfig& config, const Clock& clock);

}  // namespace orrery::server
