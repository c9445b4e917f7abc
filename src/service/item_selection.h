// The items of a container that a feed or query covers, as narrowed by request headers.

#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "catalog/resources.h"
#include "partition/feed.h"
#include "service/request.h"

namespace orrery::service {

struct ItemSelection {
    // The part of the hash space that the client asked for, whatever ranges it is divided into now:
    // continuation tokens are bound to it.
    model::EpkRange epks;
    // Those ranges, and the scope within them.
    std::size_t first_range = 0;
    std::size_t last_range = 0;
    partition::FeedScope scope;

    // The selected items with these EPKs. At least one range is left, even if it has none of them.
    ItemSelection within(const model::EpkRange& wanted, const catalog::Container& container) const;

    // The selected items of that range with these EPKs, all of which are selected. A whole range
    // has no limits in its scope: it can then be read in the order of its items, which is faster.
    partition::FeedScope scope_of(const catalog::PartitionRange& range,
                                  const model::EpkRange& epks) const;

    // What tokens of version 1 are bound to.
    std::string text_v1(const catalog::Container& container) const;
};

// Selects by partition key (or its first levels), partition key range and EPK range, intersecting
// those that are given.
Result<ItemSelection> select_items(const Request& request, const catalog::Container& container);

// The range's index in the container; 410/1002 if it is gone.
Result<std::size_t> range_index(std::uint32_t id, const catalog::Container& container);

}  // namespace orrery::service
