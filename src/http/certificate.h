// Certificates for a server that was given none: an authority, which clients trust, and the server
// certificate that it signs. One certificate cannot be both: rustls refuses an authority as a
// server certificate. See docs/adr/0010-certificate.md.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/server.h"

namespace orrery::http {

struct Authority {
    std::string certificate_pem;
    std::string private_key_pem;
};

// "localhost", the loopback addresses and the name of this machine.
std::vector<std::string> names_of_this_machine();

// An EC P-256 key and an authority's certificate, valid for ten years from `now_seconds` (less a
// day, for clients whose clocks are behind). It can only vouch for these DNS names and IP
// addresses.
Result<Authority> make_authority(const std::vector<std::string>& names, std::int64_t now_seconds);

// A new EC P-256 key and a server certificate for those names that the authority can sign for,
// followed by the authority's certificate. Valid for 825 days, the longest that Apple's clients
// accept. kBadRequest when `authority` is not an authority's certificate and its key.
Result<TlsIdentity> issue_certificate(const Authority& authority,
                                      const std::vector<std::string>& names,
                                      std::int64_t now_seconds);

}  // namespace orrery::http
