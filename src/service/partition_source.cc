#include "service/partition_source.h"

namespace orrery::service {

namespace {

class SnapshotItems : public sql::ItemCursor {
public:
    SnapshotItems(const partition::Snapshot& snapshot, sql::ItemNumber from)
        : walk_(snapshot.items(from)) {}

    Result<const sql::Item*> next() override {
        if (!walk_) return std::move(walk_).take_error();
        const auto found = TRY((*walk_)->next());
        if (!found) return static_cast<const sql::Item*>(nullptr);
        item_ = {.number = found->docnum, .json = found->json};
        return static_cast<const sql::Item*>(&item_);
    }

private:
    Result<std::unique_ptr<partition::Snapshot::Walk>> walk_;
    sql::Item item_;
};

storage::Direction direction_of(bool backward) {
    return backward ? storage::Direction::kBackward : storage::Direction::kForward;
}

partition::WalkFrom all_entries(bool backward) {
    return {.direction = direction_of(backward), .after = std::nullopt};
}

}  // namespace

Result<std::unique_ptr<PartitionSource>> PartitionSource::open(
    const partition::Partition& partition,
    const partition::FeedScope& scope,
    std::optional<std::int32_t> default_ttl) {
    const auto view = partition.index_view();
    partition::Snapshot snapshot = TRY(partition::Snapshot::take(partition, scope, default_ttl));
    partition::IndexReader index =
        TRY(partition::IndexReader::open(partition, view, snapshot.reader()));
    return std::make_unique<PartitionSource>(Opened(), std::move(snapshot), std::move(index));
}

Result<std::unique_ptr<PartitionSource>> PartitionSource::open(
    const partition::Partition& partition,
    const partition::Transaction& transaction,
    const partition::FeedScope& scope,
    std::optional<std::int32_t> default_ttl) {
    partition::Snapshot snapshot =
        TRY(partition::Snapshot::take(partition, scope, default_ttl, transaction.view()));
    partition::IndexReader index = TRY(partition::IndexReader::open(
        partition, transaction.index_view(), transaction.view().reader));
    return std::make_unique<PartitionSource>(Opened(), std::move(snapshot), std::move(index));
}

std::unique_ptr<sql::ItemCursor> PartitionSource::items(sql::ItemNumber from) {
    return std::make_unique<SnapshotItems>(snapshot_, from);
}

Result<const sql::Item*> PartitionSource::load(sql::ItemNumber number) {
    const auto found = TRY(loader_.load(number));
    if (!found) return static_cast<const sql::Item*>(nullptr);
    item_ = {.number = found->docnum, .json = found->json};
    return static_cast<const sql::Item*>(&item_);
}

std::unique_ptr<index::DocnumCursor> PartitionSource::members() const {
    return snapshot_.members();
}

Result<sql::IndexSource::Path> PartitionSource::Index::find(const model::IndexPath& path) const {
    const partition::PathEntry entry = TRY(reader_.find(path));
    switch (entry.state) {
        case partition::PathEntry::State::kListed:
            return Path{.state = PathState::kListed, .id = entry.id};
        case partition::PathEntry::State::kAbsent:
            return Path{.state = PathState::kAbsent, .id = 0};
        default:
            return Path{.state = PathState::kUnusable, .id = 0};
    }
}

std::unique_ptr<index::TermCursor> PartitionSource::Index::terms(index::PathId path,
                                                                 const index::ValueBounds& bounds,
                                                                 bool backward) const {
    return reader_.terms(path, bounds, all_entries(backward));
}

Result<std::size_t> PartitionSource::Index::count(index::PathId path,
                                                  const index::ValueBounds& bounds,
                                                  std::size_t limit) const {
    return reader_.count(path, bounds, limit);
}

std::optional<std::size_t> PartitionSource::Index::find_composite(
    std::span<const index::CompositePart> parts) const {
    return reader_.find_composite(parts);
}

std::unique_ptr<index::TermCursor> PartitionSource::Index::composite(
    std::size_t number, const index::ValueBounds& bounds, bool backward) const {
    return reader_.composite(number, bounds, all_entries(backward));
}

Result<std::unique_ptr<index::DocnumCursor>> PartitionSource::Index::items_lacking(
    const Path& path, bool backward) const {
    const storage::Direction direction = direction_of(backward);
    if (path.state == PathState::kAbsent) return reader_.indexed(direction);
    return reader_.items_lacking(path.id, direction);
}

std::unique_ptr<index::DocnumCursor> PartitionSource::Index::unindexed() const {
    return reader_.unindexed(storage::Direction::kForward);
}

}  // namespace orrery::service
