// Reads the items of one partition page by page: all of them or those of one partition key in
// insertion order, or those of a part of the hash space in hash order.

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
    std::optional<ItemRef> partition_key;  // id and docnum are ignored
    std::optional<model::EpkRange> epks;
    bool epk_is_unique = false;  // no other partition key has the EPK of partition_key

    // Distinguishes partition keys (encoded) with equal hashes.
    bool contains(std::string_view key, std::string_view epk) const {
        if (partition_key && partition_key->partition_key != key) return false;
        return !epks || epks->contains(epk);
    }
};

struct FeedRequest {
    FeedScope scope;
    std::string resume;  // from the previous page; empty at the start
    std::size_t items_max = 0;
    std::size_t bytes_max = 0;
    // Returns the first item whatever its size, so every page makes progress. False if the page
    // already has items of another partition.
    bool at_least_one = true;
    std::optional<std::int32_t> default_ttl;
};

struct FeedPage {
    std::string items;  // JSON texts, separated by commas
    std::size_t count = 0;
    std::optional<std::string> resume;  // where the next page starts, if there is one
    Lsn lsn = 0;                        // of the state that was read
};

// May end early (with `resume`) after visiting many items out of scope.
Result<FeedPage> read_feed(const Partition& partition, const FeedRequest& request);

}  // namespace orrery::partition
