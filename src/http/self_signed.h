// Makes the certificate of a server that was given none. Clients trust it by using it as their CA
// file, so it is its own certificate authority.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/server.h"

namespace orrery::http {

// "localhost", the loopback addresses and the name of this machine.
std::vector<std::string> names_of_this_machine();

// Makes an EC P-256 key and a certificate for these DNS names and IP addresses, valid for ten years
// from a day before `now_seconds` (some clients' clocks are behind).
Result<TlsIdentity> make_self_signed(const std::vector<std::string>& names,
                                     std::int64_t now_seconds);

}  // namespace orrery::http
