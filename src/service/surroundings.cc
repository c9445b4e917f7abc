#include "service/surroundings.h"

#include "model/limits.h"

namespace orrery::service {

namespace limits = model::limits;

sql::Surroundings surroundings_at(const Clock& clock, sql::Budget& budget) {
    using SteadyClock = std::chrono::steady_clock;
    constexpr std::int64_t kTicksPerMillisecond = 10'000;
    return {
        .start_ticks = clock.now().count() * kTicksPerMillisecond,
        .clock = &clock,
        .random_seed = static_cast<std::uint64_t>(SteadyClock::now().time_since_epoch().count()),
        .udfs = nullptr,
        .budget = &budget};
}

sql::Budget::Limits page_limits(MemoryPool& memory, Pacer* pacer) {
    return {.page_time = std::chrono::milliseconds(limits::kQueryPageMillisecondsMax),
            .query_time = std::chrono::milliseconds(limits::kQueryMillisecondsMax),
            .memory_max = limits::kQueryMemoryBytesMax,
            .pool = &memory,
            .pacer = pacer};
}

sql::Budget::Limits page_limits_within(std::chrono::milliseconds time, MemoryPool& memory) {
    sql::Budget::Limits out = page_limits(memory, nullptr);
    out.page_time = time * 4 / 5;
    out.query_time = time;
    return out;
}

sql::Budget::Limits condition_limits() {
    return {.work_max = limits::kConditionWorkMax, .memory_max = limits::kQueryMemoryBytesMax};
}

}  // namespace orrery::service
