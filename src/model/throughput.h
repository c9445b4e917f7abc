// Provisioned throughput: how clients write it, and how many physical partitions follow from it.
// What may be provisioned is in throughput_rules.h.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "model/throughput_buckets.h"

namespace orrery::model {

// Clients of the first API versions chose one of these instead of request units.
enum class PerformanceLevel : std::uint8_t { kNone, kS1, kS2, kS3 };

struct Throughput {
    std::int64_t request_units = 0;  // per second; the maximum when autoscale
    bool autoscale = false;
    PerformanceLevel level = PerformanceLevel::kNone;
    // `autoUpgradePolicy` of autoscale, returned as sent; it has no effect.
    std::optional<json::Value> auto_upgrade_policy = std::nullopt;
    std::vector<ThroughputBucket> buckets = {};

    friend bool operator==(const Throughput&, const Throughput&) = default;
};

// "S1", "S2", "S3"; for none "Invalid", as the service writes it.
std::string_view name_of(PerformanceLevel level);
// The level of that name, if there is one.
std::optional<PerformanceLevel> parse_performance_level(std::string_view name);

// From the headers x-ms-offer-throughput, x-ms-cosmos-offer-autopilot-settings and x-ms-offer-type;
// nothing when none is there. The amount is not checked yet.
Result<std::optional<Throughput>> parse_throughput(
    std::optional<std::string_view> manual,
    std::optional<std::string_view> autopilot,
    std::optional<std::string_view> level = std::nullopt);
// The throughput of a level by its name; kBadRequest for any other name.
Result<Throughput> throughput_of_level(std::string_view name);
// {"maxThroughput":4000}, in that header and in the content of an offer. The amount is not checked
// yet.
Result<Throughput> parse_autoscale_settings(const json::Value& settings);

// Physical partitions of a new container: one up to 10,000 RU/s. Above that, 6,000 RU/s each with
// manual throughput, which leaves room to grow, and 10,000 RU/s each with autoscale, whose maximum
// is already known.
std::uint32_t partition_count_for(const Throughput& throughput);
// The same for a container that shares the throughput of its database: 10,000 RU/s each.
std::uint32_t shared_partition_count_for(const Throughput& throughput);

}  // namespace orrery::model
