// Which node of a cluster serves a partition. A server that is alone has no placement: everything
// is here.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/resources.h"
#include "service/range_report.h"
#include "storage/engine.h"

namespace orrery::service {

class Placement {
public:
    Placement() = default;
    Placement(const Placement&) = delete;
    Placement& operator=(const Placement&) = delete;
    virtual ~Placement() = default;

    // Success if this node shall serve the partition. kElsewhere if another one shall; the request
    // is then passed on to it. Does not block.
    virtual Status expect_here(storage::PartitionId partition) const = 0;

    // Makes sure that these partitions, which were to take over from one that this node has now,
    // will not; or that this node knows that they have. Blocks.
    virtual Status cancel_split(const std::vector<storage::PartitionId>& successors) = 0;

    // What the nodes that serve these ranges of the container say about them, in their order.
    // Blocks.
    virtual Result<std::vector<RangeReport>> reports(const catalog::Container& container,
                                                     std::span<const std::size_t> ranges) = 0;
};

// The information of an error kElsewhere: "PARTITION", or "PARTITION NODE" where it is known that
// this node still has it.
Error elsewhere(storage::PartitionId partition, const std::string& node = {});

struct ElsewherePlace {
    storage::PartitionId partition = 0;
    std::string node;  // may be empty
};
// Nothing if it is not such information.
std::optional<ElsewherePlace> parse_elsewhere(std::string_view info);

}  // namespace orrery::service
