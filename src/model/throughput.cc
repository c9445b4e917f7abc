#include "model/throughput.h"

#include <charconv>
#include <string>

#include "json/value.h"
#include "model/limits.h"

namespace orrery::model {

namespace {

Error bad_throughput(std::int64_t minimum, std::int64_t step) {
    return Error(ErrorCode::kBadRequest,
                 "The offer throughput is not valid: it must be between " +
                     std::to_string(minimum) + " and " + std::to_string(limits::kThroughputMax) +
                     " request units per second, in steps of " + std::to_string(step) + ".");
}

Result<std::optional<Throughput>> checked(std::int64_t units, bool autoscale) {
    const std::int64_t minimum =
        autoscale ? limits::kAutoscaleThroughputMin : limits::kThroughputMin;
    const std::int64_t step =
        autoscale ? limits::kAutoscaleThroughputStep : limits::kThroughputStep;
    if (units < minimum || units > limits::kThroughputMax || units % step != 0) {
        return bad_throughput(minimum, step);
    }
    return std::optional(Throughput{.request_units = units, .autoscale = autoscale});
}

constexpr struct {
    PerformanceLevel level;
    std::string_view name;
    std::int64_t units;
} kLevels[] = {
    {PerformanceLevel::kS1, "S1", 250},
    {PerformanceLevel::kS2, "S2", 1000},
    {PerformanceLevel::kS3, "S3", 2500},
};

Result<std::optional<Throughput>> of_level(std::string_view name) {
    for (const auto& entry : kLevels) {
        if (name != entry.name) continue;
        return std::optional(
            Throughput{.request_units = entry.units, .autoscale = false, .level = entry.level});
    }
    return Error(ErrorCode::kBadRequest,
                 "The offer type '" + std::string(name.substr(0, 40)) +
                     "' is not valid; it must be S1, S2 or S3.");
}

std::uint32_t count_with(const Throughput& throughput, std::int64_t units_each) {
    const std::int64_t units = throughput.request_units;
    if (units <= limits::kPartitionThroughputMax) return 1;
    return static_cast<std::uint32_t>((units + units_each - 1) / units_each);
}

}  // namespace

std::string_view name_of(PerformanceLevel level) {
    for (const auto& entry : kLevels) {
        if (entry.level == level) return entry.name;
    }
    return "Invalid";
}

std::optional<PerformanceLevel> parse_performance_level(std::string_view name) {
    for (const auto& entry : kLevels) {
        if (entry.name == name) return entry.level;
    }
    return std::nullopt;
}

Result<std::optional<Throughput>> parse_throughput(std::optional<std::string_view> manual,
                                                   std::optional<std::string_view> autopilot,
                                                   std::optional<std::string_view> level) {
    if (manual && autopilot) {
        return Error(ErrorCode::kBadRequest,
                     "Manual and autoscale throughput cannot be given together.");
    }
    if (level && !manual && !autopilot) return of_level(*level);
    if (manual) {
        std::int64_t units = 0;
        const auto [end, error] =
            std::from_chars(manual->data(), manual->data() + manual->size(), units);
        if (error != std::errc() || end != manual->data() + manual->size()) {
            return bad_throughput(limits::kThroughputMin, limits::kThroughputStep);
        }
        return checked(units, false);
    }
    if (autopilot) {
        const json::Value settings = TRY(json::Value::parse(*autopilot));
        const json::Value* maximum = settings.find("maxThroughput");
        if (maximum == nullptr || !maximum->integer()) {
            return bad_throughput(limits::kAutoscaleThroughputMin,
                                  limits::kAutoscaleThroughputStep);
        }
        return checked(*maximum->integer(), true);
    }
    return std::optional<Throughput>();
}

std::uint32_t partition_count_for(const Throughput& throughput) {
    return count_with(throughput,
                      throughput.autoscale ? limits::kPartitionThroughputMax
                                           : limits::kPartitionThroughputAtCreation);
}

std::uint32_t shared_partition_count_for(const Throughput& throughput) {
    return count_with(throughput, limits::kPartitionThroughputMax);
}

}  // namespace orrery::model
