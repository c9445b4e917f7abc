#include "service/surroundings.h"

#include "base/stopwatch.h"
#include "model/limits.h"

namespace orrery::service {

namespace limits = model::limits;

namespace {

sql::Budget::Duration time_until(Allowance::TimePoint deadline) {
    if (deadline == Allowance::TimePoint::max()) return sql::Budget::Duration::max();
    return deadline - monotonic_now();
}

}  // namespace

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

sql::Budget::Limits page_limits(const Allowance& allowance) {
    return {.page_time = std::chrono::milliseconds(limits::kQueryPageMillisecondsMax),
            .query_time = time_until(allowance.deadline),
            .work_max = allowance.may_block ? sql::Budget::kUnlimited : limits::kShortQueryWorkMax,
            .may_go_on_elsewhere = !allowance.may_block,
            .memory_max = limits::kQueryMemoryBytesMax,
            .pool = allowance.memory,
            .pacer = allowance.pacer};
}

sql::Budget::Limits page_limits_within(std::chrono::milliseconds time, const Allowance& allowance) {
    sql::Budget::Limits out = page_limits(allowance);
    out.pacer = nullptr;  // it runs on a script thread
    out.page_time = time * 4 / 5;
    out.query_time = time;
    return out;
}

sql::Budget::Limits condition_limits() {
    return {.work_max = limits::kConditionWorkMax, .memory_max = limits::kQueryMemoryBytesMax};
}

}  // namespace orrery::service
