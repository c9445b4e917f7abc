// What the owner of a partition writes into it, in a cluster, before it asks the catalog to replace
// it by others. If the owner is lost in between, the node that takes the partition over finds this,
// and has the catalog give up the replacement before it serves: otherwise the owner could complete
// it later, without what has been written since (ADR 41).

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/engine.h"

namespace orrery::partition {

// On disk (docs/storage-format.md).
std::string seal_key();
std::string encode_seal(const std::vector<storage::PartitionId>& successors);
Result<std::vector<storage::PartitionId>> decode_seal(std::string_view value);

}  // namespace orrery::partition
