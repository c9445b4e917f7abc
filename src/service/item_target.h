// Where an item operation goes: its partition key, and the partition that owns the key.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "catalog/resources.h"
#include "model/partition_key.h"
#include "partition/partition.h"
#include "service/partitions.h"
#include "service/request.h"

namespace orrery::service {

// How far a partition is, for session tokens.
struct Position {
    std::uint32_t range_id = 0;
    partition::Lsn lsn = 0;
};

// The partition key of the request's header; nothing when there is none. The empty key of
// containers that have no partition key stands for itself.
Result<std::optional<model::PartitionKeyValue>> partition_key_of(
    const Request& request, const catalog::Container& container);

// The same for operations that cannot do without (read, replace, delete): 400 when it is missing or
// has fewer components than the container's key.
Result<model::PartitionKeyValue> required_partition_key(const Request& request,
                                                        const catalog::Container& container);

struct ItemTarget {
    std::string epk;
    std::string partition_key;  // encoded
    std::shared_ptr<partition::Partition> partition;
};

Result<ItemTarget> route(Partitions& partitions,
                         const catalog::Container& container,
                         const model::PartitionKeyValue& key);

// 400/1024 when the client means another container of the same name.
Status check_intended_container(const Request& request, const catalog::Container& container);

// 400 when the request asks for more than the account's consistency; 404/1002 when the partition is
// behind what the client has seen.
Status check_session(const Request& request, const partition::Partition& partition);

Position position_of(const partition::Partition& partition, partition::Lsn at_least = 0);

}  // namespace orrery::service
