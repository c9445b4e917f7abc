#include "partition/index_reader.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/check.h"
#include "index/path_tree.h"
#include "partition/index_cursors.h"
#include "partition/index_generation.h"
#include "partition/index_state.h"
#include "partition/partition.h"

namespace orrery::partition {

namespace {

storage::Direction direction_of(bool backward) {
    return backward ? storage::Direction::kBackward : storage::Direction::kForward;
}

}  // namespace

Result<IndexReader> IndexReader::open(const Partition& partition,
                                      const std::shared_ptr<const IndexView>& view,
                                      std::shared_ptr<const storage::Reader> snapshot,
                                      bool may_block) {
    IndexReader reader(std::move(snapshot));
    reader.may_block_ = may_block;
    reader.active_ = view->active;
    reader.wanted_ = view->wanted;
    reader.generation_ = view->generation;
    const bool settled = !partition.index_is_changing();
    if (settled && view == partition.index_view()) {
        reader.facts_ = view->facts;
        return reader;
    }
    // A generation may reuse the number and policy of an earlier one, and the record does not tell
    // them apart, so no cached facts are used. Without a record the snapshot is empty and the index
    // does not matter.
    std::string record;
    const bool written = TRY(reader.snapshot_->get(index_state_key(), record));
    if (!written || record == view->record) return reader;
    // The index changed after the snapshot was taken, or before the view was.
    const IndexStateRecord state = TRY(IndexStateRecord::decode(record));
    reader.generation_ = state.active.number;
    reader.active_ = TRY(index::PathPolicy::from_text(state.active.policy));
    reader.wanted_ = reader.active_;
    if (state.building) {
        reader.wanted_ = TRY(index::PathPolicy::from_text(state.building->generation.policy));
    }
    return reader;
}

Result<IndexReader::Path> IndexReader::find(const model::IndexPath& path) const {
    Path entry;
    if (!active_->indexes(path) || !wanted_->indexes(path)) return entry;
    std::string encoded = index::encode_path(path);
    if (const auto known = facts_ ? facts_->listed(encoded) : std::nullopt) {
        return Path{.state = PathState::kListed, .id = *known};
    }
    std::string value;
    if (TRY(snapshot_->get(path_name_key(generation_, encoded), value))) {
        entry.state = PathState::kListed;
        entry.id = static_cast<index::PathId>(ByteReader(value).varint());
        if (facts_) facts_->remember(std::move(encoded), entry.id);
    } else if (!TRY(snapshot_->get(unlisted_key(generation_), value))) {
        entry.state = PathState::kAbsent;
    }
    return entry;
}

std::optional<std::size_t> IndexReader::find_composite(
    std::span<const index::CompositePart> parts) const {
    const auto is_it = [&](const index::Composite& composite) {
        return std::ranges::equal(composite, parts);
    };
    const auto& usable = active_->composites();
    const auto& wanted = wanted_->composites();
    const auto found = std::find_if(usable.begin(), usable.end(), is_it);
    if (found == usable.end() || std::none_of(wanted.begin(), wanted.end(), is_it)) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(found - usable.begin());
}

std::unique_ptr<TermCursor> IndexReader::terms(index::PathId path,
                                               const index::ValueBounds& bounds,
                                               bool backward) const {
    return walk_terms(*snapshot_,
                      term_prefix(generation_, path),
                      {index::Order::kAscending},
                      bounds,
                      direction_of(backward));
}

std::unique_ptr<TermCursor> IndexReader::composite(std::size_t number,
                                                   const index::ValueBounds& bounds,
                                                   bool backward) const {
    CHECK(number < active_->composites().size());
    std::vector<index::Order> orders;
    for (const index::CompositePart& part : active_->composites()[number]) {
        orders.push_back(part.order);
    }
    return walk_terms(*snapshot_,
                      composite_prefix(generation_, number),
                      std::move(orders),
                      bounds,
                      direction_of(backward));
}

Result<std::unique_ptr<DocnumCursor>> IndexReader::items_lacking(const Path& path,
                                                                 bool backward) const {
    // Every indexed item lacks a path that is absent.
    const bool listed = path.state == PathState::kListed;
    std::vector<Posting> postings{
        {.prefix = shape_prefix(generation_, index::kUnlistedShape), .to_be_checked = listed}};
    const auto shapes = snapshot_->scan(shape_names_of(generation_), storage::Direction::kForward);
    constexpr std::size_t kFewShapes = 16;
    for (std::size_t seen = 0; shapes->valid(); shapes->next()) {
        if (!may_block_ && ++seen > kFewShapes) {
            return Error(ErrorCode::kWouldBlock, "the items have many shapes");
        }
        const std::vector<index::PathId> paths = TRY(decode_shape(shapes->value()));
        if (listed && std::binary_search(paths.begin(), paths.end(), path.id)) continue;
        ByteReader id(shapes->key().substr(kNamePrefixBytes));
        const auto shape = static_cast<index::ShapeId>(id.ordered_varint());
        postings.push_back({.prefix = shape_prefix(generation_, shape), .to_be_checked = false});
    }
    TRY(shapes->status());
    return walk_postings(*snapshot_, postings, direction_of(backward));
}

std::unique_ptr<DocnumCursor> IndexReader::unindexed() const {
    constexpr auto kDirection = storage::Direction::kForward;
    if (facts_ && !facts_->may_lack_items()) return walk_postings(*snapshot_, {}, kDirection);
    return walk_postings(
        *snapshot_,
        {{.prefix = shape_prefix(generation_, index::kNotIndexed), .to_be_checked = true}},
        kDirection);
}

Result<std::size_t> IndexReader::count(index::PathId path,
                                       const index::ValueBounds& bounds,
                                       std::size_t limit) const {
    const std::string prefix = term_prefix(generation_, path);
    const auto cursor =
        snapshot_->scan({.from = prefix + bounds.from, .until = prefix + bounds.until},
                        storage::Direction::kForward);
    std::size_t found = 0;
    for (; found < limit && cursor->valid(); cursor->next()) {
        ++found;
    }
    TRY(cursor->status());
    return found;
}

Result<std::vector<IndexReader::ListedPath>> IndexReader::listed_paths() const {
    std::vector<ListedPath> listed;
    const auto names = snapshot_->scan(path_names_of(generation_), storage::Direction::kForward);
    for (; names->valid(); names->next()) {
        listed.push_back({.path = TRY(index::decode_path(names->key().substr(kNamePrefixBytes))),
                          .id = static_cast<index::PathId>(ByteReader(names->value()).varint())});
    }
    TRY(names->status());
    return listed;
}

}  // namespace orrery::partition
