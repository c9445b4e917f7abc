// Routes an item operation: its partition key, and the partition that owns the key.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "catalog/resources.h"
#include "model/partition_key.h"
#include "partition/partition.h"
#include "service/context.h"
#include "service/partitions.h"
#include "service/request.h"

namespace orrery::service {

// The partition key in the request's header, if any. In a container without a partition key, always
// a key: the empty one unless the header gives another.
Result<std::optional<model::PartitionKeyValue>> partition_key_of(
    const Request& request, const catalog::Container& container);

// For operations that require a key (read, replace, delete): 400 if it is missing, 400/1001 if it
// has fewer components than the container's key.
Result<model::PartitionKeyValue> required_partition_key(const Request& request,
                                                        const catalog::Container& container);

// Sub-status of 400: the partition key does not match the item or the container.
inline constexpr std::uint32_t kPartitionKeyMismatch = 1001;

struct ItemTarget {
    std::string epk;
    std::string partition_key;  // encoded
    std::shared_ptr<partition::Partition> partition;
};

Result<ItemTarget> route(Partitions& partitions,
                         const Context& context,
                         const catalog::Container& container,
                         const model::PartitionKeyValue& key);

// 400/1024 if the client means another container of the same name.
Status check_intended_container(const Request& request, const catalog::Container& container);

// What the client has seen of the partition: this LSN, or the newest one.
Position position_at(const partition::Partition& partition, partition::Lsn lsn);
Position position_of(const partition::Partition& partition, partition::Lsn at_least = 0);

}  // namespace orrery::service
