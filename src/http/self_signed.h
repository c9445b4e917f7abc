// Makes the certificate of a server that was given none. Clients trust it by taking it as their CA
// file, so it is its own authority.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/server.h"

namespace orrery::http {

// "localhost", the loopback addresses and the name of this machine.
std::vector<std::string> names_of_this_machine();

// An EC P-256 key and a certificate for these DNS names and IP addresses, valid for ten years from
// `now_seconds` (less a day, for clients whose clocks are behind).
Result<TlsIdentity> make_self_signed(const std::vector<std::string>& names,
                                     std::int64_t now_seconds);

}  // namespace orrery::http
