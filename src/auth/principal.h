// Who sent a request, as far as its credential tells.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "auth/account_keys.h"
#include "auth/bearer_token.h"
#include "auth/resource_token.h"

namespace orrery::auth {

struct Principal {
    enum class Kind : std::uint8_t {
        kNobody,         // no credential has been checked
        kAccountKey,     // may do everything
        kReadOnlyKey,    // may read everything but permissions, whose tokens could allow more
        kResourceToken,  // may do what its grant says
        kBearerToken,    // may do what the roles of its identity say
    };

    Kind kind = Kind::kNobody;
    KeyVersion key = {};                                   // of a key
    std::shared_ptr<const ResourceGrant> grant = nullptr;  // of a resource token
    IdentityPtr identity = nullptr;                        // of a bearer token
};

// Who it is, for the log: "primary key", "resource token for dbs/d/colls/c", "principal OBJECT-ID".
std::string describe(const Principal& principal);

}  // namespace orrery::auth
