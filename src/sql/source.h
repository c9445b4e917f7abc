// The source of a query's rows: the items of one partition and their index as of one moment,
// limited to the scope of the request. Implemented over the partition (service/partition_source.h);
// the query engine knows nothing of storage.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "index/cursors.h"
#include "index/path_policy.h"
#include "index/value_bounds.h"
#include "model/index_path.h"

namespace orrery::sql {

// Items are numbered in the order of their creation.
using ItemNumber = index::Docnum;

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

    // Moves to the next item; null at the end. The item is valid until the next call.
    virtual Result<const Item*> next() = 0;
};

// The index. It ignores the scope: the items it leads to must be loaded, unless the scope is the
// whole partition.
class IndexSource {
public:
    IndexSource() = default;
    IndexSource(const IndexSource&) = delete;
    IndexSource& operator=(const IndexSource&) = delete;
    virtual ~IndexSource() = default;

    enum class PathState : std::uint8_t {
        kListed,    // every indexed item that has it has entries
        kAbsent,    // no indexed item has it
        kUnusable,  // not in the index (yet, or any more): scan
    };
    struct Path {
        PathState state = PathState::kUnusable;
        index::PathId id = 0;
    };

    // The container's current policy; its indexes need not be usable yet.
    virtual const index::PathPolicy& policy() const = 0;
    virtual Result<Path> find(const model::IndexPath& path) const = 0;
    virtual std::unique_ptr<index::TermCursor> terms(index::PathId path,
                                                     const index::ValueBounds& bounds,
                                                     bool backward) const = 0;
    // The number of entries within the bounds, counted up to the limit.
    virtual Result<std::size_t> count(index::PathId path,
                                      const index::ValueBounds& bounds,
                                      std::size_t limit) const = 0;

    // The number of the composite index over exactly these paths, if it is usable.
    virtual std::optional<std::size_t> find_composite(
        std::span<const index::CompositePart> parts) const = 0;
    virtual std::unique_ptr<index::TermCursor> composite(std::size_t number,
                                                         const index::ValueBounds& bounds,
                                                         bool backward) const = 0;

    // Indexed items that do not have this path, which must be usable and without []. Items that are
    // to_be_checked() may have it after all.
    virtual Result<std::unique_ptr<index::DocnumCursor>> items_lacking(const Path& path,
                                                                       bool backward) const = 0;
    // Items that are not in the index.
    virtual std::unique_ptr<index::DocnumCursor> unindexed() const = 0;
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
    virtual std::uint64_t item_count() const = 0;
    // The items of the scope when it is one logical partition, else null.
    virtual std::unique_ptr<index::DocnumCursor> members() const = 0;
    // Null when there is no usable index.
    virtual const IndexSource* index() const = 0;
};

}  // namespace orrery::sql
