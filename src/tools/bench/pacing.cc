#include "tools/bench/pacing.h"

#include <algorithm>
#include <cmath>

namespace orrery::tools::bench {

namespace {

// Request units that were not used may be used later, but not for longer than this.
constexpr std::chrono::milliseconds kCatchUpMax{100};
// Before any operation: about that of a write of 1 KB.
constexpr double kFirstEstimate = 10;
constexpr double kEstimateWeight = 0.1;  // of the newest operation

std::chrono::nanoseconds nanoseconds_of(double seconds) {
    return std::chrono::nanoseconds(std::llround(seconds * 1e9));
}

}  // namespace

ArrivalSchedule::ArrivalSchedule(Time start, double per_second)
    : start_(start), per_second_(per_second) {}

Time ArrivalSchedule::next() { return due(taken_++); }

std::uint64_t ArrivalSchedule::overdue(Time now) const {
    const double seconds = std::chrono::duration<double>(now - start_).count();
    if (seconds <= 0) return 0;
    const auto due_now = static_cast<std::uint64_t>(std::ceil(seconds * per_second_));
    const std::uint64_t taken = taken_;
    return due_now > taken ? due_now - taken : 0;
}

Time ArrivalSchedule::due(std::uint64_t number) const {
    return start_ + nanoseconds_of(static_cast<double>(number) / per_second_);
}

RequestUnitPacer::RequestUnitPacer(Time start, double per_second)
    : per_second_(per_second), free_at_(start), estimate_(kFirstEstimate) {}

RequestUnitPacer::Admission RequestUnitPacer::admit(Time now) {
    const std::lock_guard lock(mutex_);
    free_at_ = std::max(free_at_, now - kCatchUpMax);
    const Admission out{.at = std::max(free_at_, now), .reserved = estimate_};
    free_at_ += time_of(estimate_);
    return out;
}

void RequestUnitPacer::settle(const Admission& admission, double charge) {
    const std::lock_guard lock(mutex_);
    free_at_ += time_of(charge - admission.reserved);
    estimate_ += kEstimateWeight * (charge - estimate_);
}

std::chrono::nanoseconds RequestUnitPacer::time_of(double units) const {
    return nanoseconds_of(units / per_second_);
}

}  // namespace orrery::tools::bench
