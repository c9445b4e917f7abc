// What queries ask of a partition's index, over one snapshot: which paths it has, and walks through
// its entries. Every entry leads to an item of the snapshot; items that have expired and are not
// swept yet are still in it.
//
// Not all items need be in the index: see unindexed(). A plan that uses the index looks at those
// too, and evaluates everything on them.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/cursors.h"
#include "index/path_policy.h"
#include "index/value_bounds.h"
#include "partition/index_facts.h"
#include "partition/index_keys.h"
#include "partition/keys.h"
#include "storage/engine.h"

namespace orrery::partition {

class Partition;
struct IndexView;

using index::DocnumCursor;
using index::TermCursor;

// What the index knows about a path.
struct PathEntry {
    enum class State : std::uint8_t {
        kListed,    // all indexed items that have it have entries under `id`
        kAbsent,    // no indexed item has it
        kUnusable,  // not in the index (yet, or any more): scan
    };
    State state = State::kUnusable;
    index::PathId id = 0;  // of this snapshot only: never put it into a token
};

struct WalkFrom {
    storage::Direction direction = storage::Direction::kForward;
    // Behind this entry in that direction.
    struct Entry {
        std::string value;
        Docnum docnum;
    };
    std::optional<Entry> after;
};

class IndexReader {
public:
    // Reads what stands in the snapshot; the partition's view, taken before the snapshot, is used
    // when it fits.
    static Result<IndexReader> open(const Partition& partition,
                                    const std::shared_ptr<const IndexView>& view,
                                    std::shared_ptr<const storage::Reader> snapshot);

    // The policy the container has now. While the index is being rebuilt for it, what it indexes
    // need not be usable yet.
    const index::PathPolicy& policy() const { return *wanted_; }

    Result<PathEntry> find(const model::IndexPath& path) const;
    // The number of the composite index over just these paths in these orders, if it is usable.
    std::optional<std::size_t> find_composite(std::span<const index::CompositePart> parts) const;

    // Of a path without [] at most one entry leads to an item.
    std::unique_ptr<TermCursor> terms(index::PathId path,
                                      const index::ValueBounds& bounds,
                                      const WalkFrom& from = {}) const;
    // Every indexed item has one entry; a path it lacks counts as undefined. The bounds are those
    // of the whole: values one behind the other, those of descending paths inverted.
    std::unique_ptr<TermCursor> composite(std::size_t number,
                                          const index::ValueBounds& bounds,
                                          const WalkFrom& from = {}) const;

    // Indexed items that do not have this path, which must be one without []. Some are to be
    // checked: they may have it.
    Result<std::unique_ptr<DocnumCursor>> items_lacking(index::PathId path,
                                                        storage::Direction direction) const;
    // All indexed items; those that lack a path that is absent.
    Result<std::unique_ptr<DocnumCursor>> indexed(storage::Direction direction) const;
    // Items that are not in the index: excluded by the client, or too large for it. To be checked.
    std::unique_ptr<DocnumCursor> unindexed(storage::Direction direction) const;

    // The number of entries in the bounds, counting no further than the limit.
    Result<std::size_t> count(index::PathId path,
                              const index::ValueBounds& bounds,
                              std::size_t limit) const;

    struct ListedPath {
        model::IndexPath path;
        index::PathId id;
    };
    Result<std::vector<ListedPath>> listed_paths() const;

private:
    explicit IndexReader(std::shared_ptr<const storage::Reader> snapshot)
        : snapshot_(std::move(snapshot)) {}

    Result<std::unique_ptr<DocnumCursor>> items_without(std::optional<index::PathId> path,
                                                        storage::Direction direction) const;

    std::shared_ptr<const storage::Reader> snapshot_;
    std::shared_ptr<const index::PathPolicy> active_;
    std::shared_ptr<const index::PathPolicy> wanted_;
    std::shared_ptr<IndexFacts> facts_;  // null when the snapshot has another generation
    GenerationNumber generation_ = 0;
};

}  // namespace orrery::partition
