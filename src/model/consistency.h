// The consistency levels of an account and of its reads, from the strongest to the weakest.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orrery::model {

enum class ConsistencyLevel : std::uint8_t {
    kStrong,
    kBoundedStaleness,
    kSession,
    kConsistentPrefix,
    kEventual
};

std::string_view name_of(ConsistencyLevel level);
// By its name, in any case of letters.
std::optional<ConsistencyLevel> parse_consistency_level(std::string_view name);

// Whether a read may ask for it in an account with that default. The three weakest may replace each
// other.
bool may_be_requested(ConsistencyLevel wanted, ConsistencyLevel account);

}  // namespace orrery::model
