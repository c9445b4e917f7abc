// Changes which partitions hold a container: the part of the catalog that splits and merges need.
// The partitions that will take over are reserved first: if nothing more comes of it, they are
// dropped with what they hold.

#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "catalog/resources.h"

namespace orrery::catalog {

class RangeEditor {
public:
    RangeEditor() = default;
    RangeEditor(const RangeEditor&) = delete;
    RangeEditor& operator=(const RangeEditor&) = delete;
    virtual ~RangeEditor() = default;

    virtual Result<std::vector<storage::PartitionId>> reserve_partitions(std::uint32_t count) = 0;
    // They are part of the container once this returns, and those they replace are dropped; the
    // container's revision stays. kGone if one of them is no longer reserved.
    virtual Status replace_ranges(model::ContainerRid rid,
                                  const std::vector<std::uint32_t>& old_ids,
                                  const std::vector<PartitionRange>& replacements) = 0;
    // Once this returns, they will not take over, whoever still wants them to: their node may have
    // been lost in the middle of it.
    virtual Status cancel_reservation(const std::vector<storage::PartitionId>& reserved) = 0;
    virtual void abandon_partitions(const std::vector<storage::PartitionId>& reserved) = 0;
};

}  // namespace orrery::catalog
