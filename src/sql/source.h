// Where the rows of a query come from: the items of one partition and their index as of one moment,
// limited to the scope of the request. Implemented over the partition (service/partition_source.h);
// the query knows nothing of storage.

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

    // Moves to the next item; null pointer at the end. The item is good until the next call.
    virtual Result<const Item*> next() = 0;
};

// The index. It knows nothing of the scope: what it leads to must be loaded, or the scope be the
// whole partition.
class IndexSource {
public:
    IndexSource() = default;
    IndexSource(const IndexSource&) = delete;
    IndexSource& operator=(const IndexSource&) = delete;
    virtual ~IndexSource() = default;

    enum class PathState : std::uint8_t {
        kListed,    // all indexed items that have it have entries
        kAbsent,    // no indexed item has it
        kUnusable,  // not in the index (yet, or any more): scan
    };
    struct Path {
        PathState state = PathState::kUnusable;
        index::PathId id = 0;
    };

    // Of the container as it is now; what it says need not be usable yet.
    virtual const index::PathPolicy& policy() const = 0;
    virtual Result<Path> find(const model::IndexPath& path) const = 0;
    virtual std::unique_ptr<index::TermCursor> terms(index::PathId path,
                                                     const index::ValueBounds& bounds,
                                                     bool backward) const = 0;
    // The number of entries in the bounds, counting no further than the limit.
    virtual Result<std::size_t> count(index::PathId path,
                                      const index::ValueBounds& bounds,
                                      std::size_t limit) const = 0;

    // The number of the composite index over just these paths, if it is usable.
    virtual std::optional<std::size_t> find_composite(
        std::span<const index::CompositePart> parts) const = 0;
    virtual std::unique_ptr<index::TermCursor> composite(std::size_t number,
                                                         const index::ValueBounds& bounds,
                                                         bool backward) const = 0;

    // Indexed items that do not have this path, which must be usable and without []. Some are to be
    // checked, they may have it.
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

    // All items of the scope with number >= from, in rising order.
    virtual std::unique_ptr<ItemCursor> items(ItemNumber from) = 0;
    // Null pointer when it is not in the scope. Good until the next call.
    virtual Result<const Item*> load(ItemNumber number) = 0;

    // Every item of the partition is in the scope, so that index entries can be counted.
    virtual bool is_whole() const = 0;
    virtual std::uint64_t item_count() const = 0;
    // When the scope is one logical partition: its items. Else null pointer.
    virtual std::unique_ptr<index::DocnumCursor> members() const = 0;
    // Null pointer when there is none that could be used.
    virtual const IndexSource* index() const = 0;
};

}  // namespace orrery::sql
