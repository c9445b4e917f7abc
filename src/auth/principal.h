// Who sent a request, as far as its credential tells.

#pragma once

#include <cstdint>

namespace orrery::auth {

struct Principal {
    enum class Kind : std::uint8_t {
        kNobody,      // no credential has been checked
        kAccountKey,  // may do everything
    };

    Kind kind = Kind::kNobody;
};

}  // namespace orrery::auth
