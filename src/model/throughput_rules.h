// How much throughput may be provisioned. The least depends on what the resource has held and been
// provisioned with so far (learn.microsoft.com, "Azure Cosmos DB service quotas").

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "model/throughput.h"

namespace orrery::model {

enum class ThroughputMode : std::uint8_t { kManual, kAutoscale };
ThroughputMode mode_of(const Throughput& throughput);

// What the bounds depend on. Without any of it they are those of a new resource.
struct ThroughputHistory {
    std::int64_t highest_units = 0;  // ever provisioned
    std::uint64_t stored_bytes = 0;
    std::size_t sharing_containers = 0;  // of a database
    bool has_partition_key = true;       // false: a container limited to one physical partition
};

struct ThroughputBounds {
    std::int64_t min = 0;
    std::int64_t max = 0;
    std::int64_t step = 0;
    std::string min_cause;  // why the minimum is above that of a new resource; empty if it is not
};
ThroughputBounds bounds_of(ThroughputMode mode, const ThroughputHistory& history);

// kBadRequest if it cannot be provisioned. Performance levels are always within their bounds.
Status check_throughput(const Throughput& throughput, const ThroughputHistory& history);
// The refusal of a request that names no amount at all.
Error no_valid_throughput(const ThroughputBounds& bounds);

// What manual throughput becomes when its offer is migrated to autoscale, and the reverse.
// kBadRequest if it cannot be.
Result<Throughput> migrated(const Throughput& throughput, const ThroughputHistory& history);

}  // namespace orrery::model
