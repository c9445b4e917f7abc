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

}  // namespace

Result<std::unique_ptr<PartitionSource>> PartitionSource::open(
    const partition::Partition& partition,
    const partition::FeedScope& scope,
    std::optional<std::int32_t> default_ttl,
    bool may_block) {
    const auto view = partition.index_view();
    partition::Snapshot snapshot =
        TRY(partition::Snapshot::take(partition, scope, default_ttl, partition.view(may_block)));
    partition::IndexReader index =
        TRY(partition::IndexReader::open(partition, view, snapshot.reader(), may_block));
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

}  // namespace orrery::service
