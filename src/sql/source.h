// The source of a query's rows: the items of one partition and their index as of one moment,
// limited to the scope of the request. Implemented over the partition (service/partition_source.h);
// the query engine knows nothing of storage.

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "index/cursors.h"
#include "index/index_source.h"
#include "index/path_policy.h"
#include "json/number.h"
#include "sql/budget.h"

namespace orrery::sql {

// Items are numbered in the order of their creation.
using ItemNumber = index::Docnum;

struct Item {
    ItemNumber number = 0;
    std::string_view json;
    json::NumberForm numbers = json::NumberForm::kUnknown;  // in it

    // Not in the scope: only the number counts. Cursors return such places, so that whoever reads
    // can stop between any two of them.
    bool is_hidden() const { return json.empty(); }
};

class ItemCursor {
public:
    ItemCursor() = default;
    ItemCursor(const ItemCursor&) = delete;
    ItemCursor& operator=(const ItemCursor&) = delete;
    virtual ~ItemCursor() = default;

    // Moves to the next item; null at the end. The item is valid until the next call. Numbers
    // never fall; the item of a number comes after any hidden place with it.
    virtual Result<const Item*> next() = 0;
};

using index::IndexSource;

// The order of items with equal sort keys. SDKs know it: they resume an ORDER BY at a rid.
enum class NumberOrder : std::uint8_t {
    kAscending,
    kDescending,
    // Descending among the numbers that one range has assigned, ascending from range to range: for
    // several partitions at once. It keeps them in the order in which SDKs merge them.
    kDescendingByRange,
};

class ItemSource {
public:
    ItemSource() = default;
    ItemSource(const ItemSource&) = delete;
    ItemSource& operator=(const ItemSource&) = delete;
    virtual ~ItemSource() = default;

    // All items of the scope with number >= from, in ascending order.
    virtual std::unique_ptr<ItemCursor> items(ItemNumber from) = 0;
    // Null when it is not in the scope. Valid until the next call.
    virtual Result<const Item*> load(ItemNumber number) = 0;

    // Every item of the partition is in the scope, so index entries can be counted.
    virtual bool is_whole() const = 0;
    // Of the partition, whatever the scope.
    virtual std::uint64_t item_count() const = 0;
    // The number of items in the scope, when it can be had without loading them.
    virtual Result<std::optional<std::uint64_t>> count(Budget& budget) const = 0;
    // The items of the scope when it is one logical partition, else null.
    virtual std::unique_ptr<index::DocnumCursor> members() const = 0;
    // The container's current indexing policy, null when it is not indexed. Its indexes need not be
    // usable yet.
    virtual const index::PathPolicy* policy() const = 0;
    // Null when there is no usable index; always null without a policy.
    virtual const IndexSource* index() const = 0;
    // The order of equal keys when the index is walked backward.
    virtual NumberOrder descending_order() const { return NumberOrder::kDescending; }
    // Whether ORDER BY works on properties that no index covers. Cosmos DB refuses that on items.
    virtual bool sorts_without_index() const { return false; }
};

}  // namespace orrery::sql
