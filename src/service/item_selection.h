// Which items of a container a feed or a query is about: what the headers of the request narrow it
// down to.

#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "catalog/resources.h"
#include "partition/feed.h"
#include "service/request.h"

namespace orrery::service {

// A run of partition key ranges, and what of them.
struct ItemSelection {
    std::size_t first_range = 0;
    std::size_t last_range = 0;
    partition::FeedScope scope;

    // Spells the selection out, so that a continuation of another one is recognised.
    std::string text(const catalog::Container& container) const;
};

// By partition key (or the first levels of one), partition key range and range of EPKs; each that
// is given narrows the selection.
Result<ItemSelection> select_items(const Request& request, const catalog::Container& container);

// Where the range stands among the container's; 410/1002 when it is gone.
Result<std::size_t> range_index(std::uint32_t id, const catalog::Container& container);

}  // namespace orrery::service
