// What the server shows to its clients: the account key and the TLS certificate. Made on the first
// start where none is given, and kept in the data directory.

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
    // Where the key can be looked up; empty when it is the public one of the emulator.
    std::string origin;
};

// The key file's; else on loopback the emulator's public key, which every SDK sample uses; else a
// random one, kept in the data directory. The public key is refused on any other address.
Result<AccountKey> account_key(const ServeConfig& config, Random& random);

// The files given; else the certificate of the data directory, made on the first start.
Result<http::TlsIdentity> tls_identity(const ServeConfig& config, const Clock& clock);

}  // namespace orrery::server
