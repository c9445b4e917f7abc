// Reads the items of one partition page by page: all of them, or those of one partition key, in the
// order they were inserted; those of a part of the hash space in the order of their hashes.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "model/effective_partition_key.h"
#include "partition/partition.h"

namespace orrery::partition {

// Which items: all, those of one partition key, or those of a part of the hash space.
struct FeedScope {
    std::optional<ItemRef> partition_key;  // id and docnum are not looked at
    std::optional<model::EpkRange> epks;
};

struct FeedRequest {
    FeedScope scope;
    std::string resume;  // where the page before ended; empty at the start
    std::size_t items_max = 0;
    std::size_t bytes_max = 0;
    // Takes the first item whatever its size, so that a feed always gets on. Not when the page has
    // items of another partition already.
    bool at_least_one = true;
    std::optional<std::int32_t> default_ttl;
};

struct FeedPage {
    std::string items;  // JSON texts, separated by commas
    std::size_t count = 0;
    std::optional<std::string> resume;  // there is more, from here
    Lsn lsn = 0;                        // the state that was read
};

// May end early (with `resume`) when it has looked at many items that are not in the scope.
Result<FeedPage> read_feed(const Partition& partition, const FeedRequest& request);

}  // namespace orrery::partition
