// The query interface of a partition's index over one snapshot: which paths it has, and walks over
// its entries. Every entry refers to an item of the snapshot, which includes expired items that
// have not been swept yet.
//
// Not all items need be in the index: see unindexed(). A plan that uses the index must also read
// those and evaluate every condition on them.

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

// The state of a path in the index.
struct PathEntry {
    enum class State : std::uint8_t {
        kListed,    // every indexed item with this path has entries under `id`
        kAbsent,    // no indexed item has it
        kUnusable,  // not indexed (yet, or any longer): scan
    };
    State state = State::kUnusable;
    index::PathId id = 0;  // valid for this snapshot only: never put it into a token
};

struct WalkFrom {
    storage::Direction direction = storage::Direction::kForward;
    // Start after this entry, in that direction.
    struct Entry {
        std::string value;
        Docnum docnum;
    };
    std::optional<Entry> after;
};

class IndexReader {
public:
    // Uses the partition's view, which must be taken before the snapshot, if the two are
    // consistent; otherwise reads the index state from the snapshot.
    static Result<IndexReader> open(const Partition& partition,
                                    const std::shared_ptr<const IndexView>& view,
                                    std::shared_ptr<const storage::Reader> snapshot);

    // The container's current policy. While the index is being rebuilt for it, some of its paths
    // may not be usable yet.
    const index::PathPolicy& policy() const { return *wanted_; }

    Result<PathEntry> find(const model::IndexPath& path) const;
    // The composite index over exactly these paths in these orders, if it is usable.
    std::optional<std::size_t> find_composite(std::span<const index::CompositePart> parts) const;

    // For a path without [] each item has at most one entry.
    std::unique_ptr<TermCursor> terms(index::PathId path,
                                      const index::ValueBounds& bounds,
                                      const WalkFrom& from = {}) const;
    // Every indexed item has one entry; a missing path counts as undefined. The bounds are those of
    // the whole key: values concatenated, those of descending paths inverted.
    std::unique_ptr<TermCursor> composite(std::size_t number,
                                          const index::ValueBounds& bounds,
                                          const WalkFrom& from = {}) const;

    // Indexed items without this path, which must not contain []. Some need checking: they may have
    // it.
    Result<std::unique_ptr<DocnumCursor>> items_lacking(index::PathId path,
                                                        storage::Direction direction) const;
    // All indexed items, which are those that lack an absent path.
    Result<std::unique_ptr<DocnumCursor>> indexed(storage::Direction direction) const;
    // Items not in the index: excluded by the client, or too large. They need checking.
    std::unique_ptr<DocnumCursor> unindexed(storage::Direction direction) const;

    // The number of entries within the bounds, counting up to `limit`.
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
    std::shared_ptr<IndexFacts> facts_;  // null if the snapshot may have another generation
    GenerationNumber generation_ = 0;
};

}  // namespace orrery::partition
