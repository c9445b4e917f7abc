// A certificate for tests that speak TLS.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "http/certificate.h"

namespace orrery::http {

inline TlsIdentity test_identity(std::int64_t now_seconds) {
    const std::vector<std::string> names{"localhost", "127.0.0.1"};
    return *issue_certificate(*make_authority(names, now_seconds), names, now_seconds);
}

}  // namespace orrery::http
