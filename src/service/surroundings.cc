#include "service/surroundings.h"

#include <chrono>

namespace orrery::service {

sql::Surroundings surroundings_at(const Clock& clock) {
    using SteadyClock = std::chrono::steady_clock;
    constexpr std::int64_t kTicksPerMillisecond = 10'000;
    return {
        .start_ticks = clock.now().count() * kTicksPerMillisecond,
        .clock = &clock,
        .random_seed = static_cast<std::uint64_t>(SteadyClock::now().time_since_epoch().count())};
}

}  // namespace orrery::service
