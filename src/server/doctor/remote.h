// Checks of a server from its client's side: whether it answers, its certificate, its clock and the
// key.

#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"
#include "client/account.h"
#include "server/doctor/finding.h"

namespace orrery::server::doctor {

struct Remote {
    client::Account account;
    // Whether the user has named the server and the key, or these are defaults.
    bool named = false;
    bool key_named = false;
};

// Asks the server.
Findings check_remote(const Remote& remote, const Clock& clock);

// `ahead`: by how much the clock of this machine is ahead of the server's.
Finding check_clock(std::chrono::seconds ahead);

// `reason`: what OpenSSL has against the certificate (X509_V_ERR_...); 0 if nothing.
Finding check_certificate(const Remote& remote, long reason);

}  // namespace orrery::server::doctor
