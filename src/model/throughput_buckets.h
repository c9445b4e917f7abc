// Throughput buckets: shares of a container's request units for requests that name them, so that
// one workload cannot use up everything.

#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace orrery::model {

constexpr std::uint8_t kThroughputBucketsMax = 5;

struct ThroughputBucket {
    std::uint8_t id = 0;  // from 1 to kThroughputBucketsMax
    std::uint8_t percent = 0;
    bool is_default = false;  // for requests that name no bucket

    friend bool operator==(const ThroughputBucket&, const ThroughputBucket&) = default;
};

// [{"id":1,"maxThroughputPercentage":20,"isDefaultBucket":true}], as the resource provider of the
// service has them.
Result<std::vector<ThroughputBucket>> parse_throughput_buckets(const json::Value& value);
json::Value to_json(const std::vector<ThroughputBucket>& buckets);

}  // namespace orrery::model
