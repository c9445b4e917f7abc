// Where the rows of a query come from: the items of one partition as of one moment, limited to the
// scope of the request. Implemented over the partition (service/partition_source.h); the query
// knows nothing of storage.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace orrery::sql {

// Items are numbered in the order of their creation.
using ItemNumber = std::uint64_t;

struct Item {
    ItemNumber number = 0;
    std::string_view json;
};

class ItemCursor {
public:
    ItemCursor() = default;
    ItemCursor(const ItemCursor&) = delete;
    ItemCursor& operator=(const ItemCursor&) = delete;
    virtual ~ItemCursor() = default;

    // Moves to the next item; null pointer at the end. The item is good until the next call.
    virtual Result<const Item*> next() = 0;
};

class ItemSource {
public:
    ItemSource() = default;
    ItemSource(const ItemSource&) = delete;
    ItemSource& operator=(const ItemSource&) = delete;
    virtual ~ItemSource() = default;

    // All items of the scope with number >= from, in rising order.
    virtual std::unique_ptr<ItemCursor> items(ItemNumber from) = 0;
};

}  // namespace orrery::sql
