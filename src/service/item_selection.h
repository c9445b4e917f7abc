// The items of a container that a feed or query covers, as narrowed by request headers.

#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "catalog/resources.h"
#include "partition/feed.h"
#include "service/request.h"

namespace orrery::service {

// A run of partition key ranges, and the scope within them.
struct ItemSelection {
    std::size_t first_range = 0;
    std::size_t last_range = 0;
    partition::FeedScope scope;

    // A text form of the selection, which binds continuation tokens to it.
    std::string text(const catalog::Container& container) const;
};

// Selects by partition key (or its first levels), partition key range and EPK range, intersecting
// those that are given.
Result<ItemSelection> select_items(const Request& request, const catalog::Container& container);

// The range's index in the container; 410/1002 if it is gone.
Result<std::size_t> range_index(std::uint32_t id, const catalog::Container& container);

}  // namespace orrery::service
