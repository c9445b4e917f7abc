#include "model/throughput_rules.h"

#include <algorithm>

#include "model/limits.h"

namespace orrery::model {

namespace {

constexpr std::uint64_t kGigabyte = std::uint64_t{1} << 30;

std::int64_t rounded_up(std::int64_t units, std::int64_t step) {
    return (units + step - 1) / step * step;
}

// The factors of the formulas, which differ only in them.
struct Factors {
    std::int64_t min;
    std::int64_t step;
    std::int64_t per_gigabyte;
    std::int64_t highest_divisor;
    std::int64_t per_container;  // beyond those included
};

constexpr Factors kManual = {.min = limits::kThroughputMin,
                             .step = limits::kThroughputStep,
                             .per_gigabyte = 1,
                             .highest_divisor = 100,
                             .per_container = 100};
constexpr Factors kAutoscale = {.min = limits::kAutoscaleThroughputMin,
                                .step = limits::kAutoscaleThroughputStep,
                                .per_gigabyte = 10,
                                .highest_divisor = 10,
                                .per_container = 1000};

void raise(ThroughputBounds& bounds, std::int64_t min, std::string cause) {
    min = std::min(rounded_up(min, bounds.step), bounds.max);
    if (min <= bounds.min) return;
    bounds.min = min;
    bounds.min_cause = std::move(cause);
}

}  // namespace

ThroughputMode mode_of(const Throughput& throughput) {
    return throughput.autoscale ? ThroughputMode::kAutoscale : ThroughputMode::kManual;
}

ThroughputBounds bounds_of(ThroughputMode mode, const ThroughputHistory& history) {
    const Factors& factors = mode == ThroughputMode::kAutoscale ? kAutoscale : kManual;
    ThroughputBounds bounds{.min = factors.min,
                            .max = history.has_partition_key ? limits::kThroughputMax
                                                             : limits::kThroughputWithoutKeyMax,
                            .step = factors.step,
                            .min_cause = {}};
    const std::int64_t highest = history.highest_units;
    raise(bounds,
          (highest + factors.highest_divisor - 1) / factors.highest_divisor,
          "Highest RUs provisioned " + std::to_string(highest));
    const auto gigabytes =
        static_cast<std::int64_t>((history.stored_bytes + kGigabyte - 1) / kGigabyte);
    raise(bounds,
          gigabytes * factors.per_gigabyte,
          "Storage consumed " + std::to_string(gigabytes) + " GB");
    const auto extra = static_cast<std::int64_t>(
        history.sharing_containers -
        std::min(history.sharing_containers, limits::kSharingContainersMax));
    raise(bounds,
          factors.min + extra * factors.per_container,
          "Number of containers " + std::to_string(history.sharing_containers));
    return bounds;
}

Error no_valid_throughput(const ThroughputBounds& bounds) {
    return Error(ErrorCode::kBadRequest,
                 "The offer should have valid throughput values between " +
                     std::to_string(bounds.min) + " and " + std::to_string(bounds.max) +
                     " inclusive in increments of " + std::to_string(bounds.step) + ".");
}

Status check_throughput(const Throughput& throughput, const ThroughputHistory& history) {
    if (throughput.level != PerformanceLevel::kNone) return {};
    if (throughput.autoscale && !history.has_partition_key) {
        constexpr std::uint32_t kAutoscaleNeedsPartitionKey = 1018;  // as in the service
        return Error(ErrorCode::kBadRequest,
                     "Autoscale throughput needs a container with a partition key.",
                     kAutoscaleNeedsPartitionKey);
    }
    const ThroughputBounds bounds = bounds_of(mode_of(throughput), history);
    const std::int64_t units = throughput.request_units;
    if (units >= bounds.min && units <= bounds.max && units % bounds.step == 0) return {};
    // The service's words: some tools read the bounds from them.
    std::string text = no_valid_throughput(bounds).message();
    if (units < bounds.min) {
        text += " Requested throughput " + std::to_string(units) +
                " is less than required minimum throughput " + std::to_string(bounds.min) + ".";
        if (!bounds.min_cause.empty()) {
            text += " Minimum limit " + std::to_string(bounds.min) + " is because of " +
                    bounds.min_cause + ".";
        }
    } else if (units > bounds.max) {
        text += " Requested throughput " + std::to_string(units) +
                " is more than possible maximum throughput " + std::to_string(bounds.max) + ".";
    }
    return Error(ErrorCode::kBadRequest, std::move(text));
}

Result<Throughput> migrated(const Throughput& throughput, const ThroughputHistory& history) {
    Throughput out{.request_units = throughput.request_units, .autoscale = !throughput.autoscale};
    if (out.autoscale) {
        const ThroughputBounds bounds = bounds_of(ThroughputMode::kAutoscale, history);
        out.request_units = std::max(bounds.min, rounded_up(out.request_units, bounds.step));
    }
    TRY(check_throughput(out, history));
    return out;
}

}  // namespace orrery::model
