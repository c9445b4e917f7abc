// Provisioned throughput: what may be asked for, and how many physical partitions follow from it.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace orrery::model {

struct Throughput {
    std::int64_t request_units = 0;  // per second; the maximum when autoscale
    bool autoscale = false;

    friend bool operator==(const Throughput&, const Throughput&) = default;
};

// From the headers x-ms-offer-throughput and x-ms-cosmos-offer-autopilot-settings; nothing when
// neither is there.
Result<std::optional<Throughput>> parse_throughput(std::optional<std::string_view> manual,
                                                   std::optional<std::string_view> autopilot);

// ceil(RU / 10,000), at least one.
std::uint32_t partition_count_for(std::int64_t request_units);

}  // namespace orrery::model
