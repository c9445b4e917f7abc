#include "model/consistency.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace orrery::model {

namespace {

constexpr std::array<std::string_view, 5> kLevelNames = {
    "Strong", "BoundedStaleness", "Session", "ConsistentPrefix", "Eventual"};

}  // namespace

std::string_view name_of(ConsistencyLevel level) {
    return kLevelNames.at(static_cast<std::size_t>(level));
}

std::optional<ConsistencyLevel> parse_consistency_level(std::string_view name) {
    for (std::size_t i = 0; i < kLevelNames.size(); ++i) {
        if (same_word(name, kLevelNames.at(i))) return static_cast<ConsistencyLevel>(i);
    }
    return std::nullopt;
}

bool may_be_requested(ConsistencyLevel wanted, ConsistencyLevel account) {
    return wanted >= std::min(account, ConsistencyLevel::kSession);
}

}  // namespace orrery::model
