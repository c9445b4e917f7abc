#include "model/throughput.h"

#include <charconv>
#include <string>

#include "model/limits.h"
#include "model/throughput_rules.h"

namespace orrery::model {

namespace {

constexpr struct {
    PerformanceLevel level;
    std::string_view name;
    std::int64_t units;
} kLevels[] = {
    {PerformanceLevel::kS1, "S1", 250},
    {PerformanceLevel::kS2, "S2", 1000},
    {PerformanceLevel::kS3, "S3", 2500},
};

Result<Throughput> parse_manual(std::string_view text) {
    std::int64_t units = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), units);
    if (error != std::errc() || end != text.data() + text.size()) {
        return no_valid_throughput(bounds_of(ThroughputMode::kManual, {}));
    }
    return Throughput{.request_units = units, .autoscale = false};
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
    if (manual) return std::optional(TRY(parse_manual(*manual)));
    if (autopilot) {
        const json::Value settings = TRY(json::Value::parse(*autopilot));
        return std::optional(TRY(parse_autoscale_settings(settings)));
    }
    if (level) return std::optional(TRY(throughput_of_level(*level)));
    return std::optional<Throughput>();
}

Result<Throughput> throughput_of_level(std::string_view name) {
    for (const auto& entry : kLevels) {
        if (name != entry.name) continue;
        return Throughput{.request_units = entry.units, .autoscale = false, .level = entry.level};
    }
    return Error(ErrorCode::kBadRequest,
                 "The offer type '" + std::string(name.substr(0, 40)) +
                     "' is not valid; it must be S1, S2 or S3.");
}

Result<Throughput> parse_autoscale_settings(const json::Value& settings) {
    const json::Value* maximum = settings.find("maxThroughput");
    if (maximum == nullptr || !maximum->integer()) {
        return no_valid_throughput(bounds_of(ThroughputMode::kAutoscale, {}));
    }
    Throughput out{.request_units = *maximum->integer(), .autoscale = true};
    const json::Value* policy = settings.find("autoUpgradePolicy");
    if (policy == nullptr || policy->is_null()) return out;
    if (!policy->is_object() || policy->text().size() > limits::kAutoUpgradePolicyBytesMax) {
        return Error(
            ErrorCode::kBadRequest,
            "The autoUpgradePolicy of the autoscale settings must be an object of at most " +
                std::to_string(limits::kAutoUpgradePolicyBytesMax) + " bytes.");
    }
    out.auto_upgrade_policy = *policy;
    return out;
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
