// The query interface of an index over one snapshot: which paths it has, and walks over its
// entries. Implemented over one partition (partition/index_reader.h) and over several
// (service/merged_source.h).
//
// Every entry refers to an item of the snapshot. The index ignores the scope of the query: the
// items it leads to must be loaded, unless the scope is the whole partition. Not all items need be
// in the index: a plan that uses it must also read those of unindexed() and evaluate every
// condition on them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/result.h"
#include "index/cursors.h"
#include "index/path_policy.h"
#include "index/value_bounds.h"
#include "model/index_path.h"

namespace orrery::index {

class IndexSource {
public:
    virtual ~IndexSource() = default;

    enum class PathState : std::uint8_t {
        kListed,    // every indexed item that has it has entries under its id
        kAbsent,    // no indexed item has it
        kUnusable,  // not in the index (yet, or any more): scan
    };
    struct Path {
        PathState state = PathState::kUnusable;
        PathId id = 0;  // valid for this snapshot only: never put it into a token
    };

    virtual Result<Path> find(const model::IndexPath& path) const = 0;
    // For a path without [] each item has at most one entry.
    virtual std::unique_ptr<TermCursor> terms(PathId path,
                                              const ValueBounds& bounds,
                                              bool backward) const = 0;
    // The number of entries within the bounds, counted up to the limit.
    virtual Result<std::size_t> count(PathId path,
                                      const ValueBounds& bounds,
                                      std::size_t limit) const = 0;

    // The number of the composite index over exactly these paths and orders, if it is usable.
    virtual std::optional<std::size_t> find_composite(
        std::span<const CompositePart> parts) const = 0;
    // Every indexed item has one entry; a missing path counts as undefined. The bounds are those of
    // the whole entry: values concatenated, those of descending paths inverted.
    virtual std::unique_ptr<TermCursor> composite(std::size_t number,
                                                  const ValueBounds& bounds,
                                                  bool backward) const = 0;

    // Indexed items that do not have this path, which must be usable and without []. Items that are
    // to_be_checked() may have it after all.
    virtual Result<std::unique_ptr<DocnumCursor>> items_lacking(const Path& path,
                                                                bool backward) const = 0;
    // Items that are not in the index, excluded by the client or too large, in ascending order. All
    // are to_be_checked().
    virtual std::unique_ptr<DocnumCursor> unindexed() const = 0;

protected:
    IndexSource() = default;
    IndexSource(const IndexSource&) = default;
    IndexSource(IndexSource&&) = default;
    IndexSource& operator=(const IndexSource&) = default;
    IndexSource& operator=(IndexSource&&) = default;
};

}  // namespace orrery::index
