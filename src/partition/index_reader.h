// The index of one partition over one snapshot. It includes expired items that have not been swept
// yet.

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "index/cursors.h"
#include "index/index_source.h"
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

class IndexReader : public index::IndexSource {
public:
    // Uses the partition's view, which must be taken before the snapshot, if the two are
    // consistent; otherwise reads the index state from the snapshot. Where it may not block:
    // kWouldBlock instead of opening many cursors at once.
    static Result<IndexReader> open(const Partition& partition,
                                    const std::shared_ptr<const IndexView>& view,
                                    std::shared_ptr<const storage::Reader> snapshot,
                                    bool may_block = true);

    // The container's current policy. While the index is being rebuilt for it, some of its paths
    // may not be usable yet.
    const index::PathPolicy& policy() const { return *wanted_; }

    Result<Path> find(const model::IndexPath& path) const override;
    std::unique_ptr<TermCursor> terms(index::PathId path,
                                      const index::ValueBounds& bounds,
                                      bool backward) const override;
    Result<std::size_t> count(index::PathId path,
                              const index::ValueBounds& bounds,
                              std::size_t limit) const override;
    std::optional<std::size_t> find_composite(
        std::span<const index::CompositePart> parts) const override;
    std::unique_ptr<TermCursor> composite(std::size_t number,
                                          const index::ValueBounds& bounds,
                                          bool backward) const override;
    Result<std::unique_ptr<DocnumCursor>> items_lacking(const Path& path,
                                                        bool backward) const override;
    std::unique_ptr<DocnumCursor> unindexed() const override;

    struct ListedPath {
        model::IndexPath path;
        index::PathId id;
    };
    Result<std::vector<ListedPath>> listed_paths() const;

private:
    explicit IndexReader(std::shared_ptr<const storage::Reader> snapshot)
        : snapshot_(std::move(snapshot)) {}

    std::shared_ptr<const storage::Reader> snapshot_;
    std::shared_ptr<const index::PathPolicy> active_;
    std::shared_ptr<const index::PathPolicy> wanted_;
    std::shared_ptr<IndexFacts> facts_;  // null if the snapshot may have another generation
    GenerationNumber generation_ = 0;
    bool may_block_ = true;
};

}  // namespace orrery::partition
