#include "service/partition_source.h"

namespace orrery::service {

namespace {

class SnapshotItems : public sql::ItemCursor {
public:
    SnapshotItems(const partition::Snapshot& snapshot, sql::ItemNumber from)
        : walk_(snapshot.items(from)) {}

    Result<const sql::Item*> next() override {
        const auto found = TRY(walk_->next());
        if (!found) return static_cast<const sql::Item*>(nullptr);
        item_.number = found->docnum;
        item_.json = found->item ? found->item->json : std::string_view();
        if (found->item) item_.numbers = found->item->header.numbers;
        return static_cast<const sql::Item*>(&item_);
    }

private:
    std::unique_ptr<partition::Snapshot::Walk> walk_;
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
    TRY(partition.check_open());
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
    item_ = {.number = found->docnum, .json = found->json, .numbers = found->header.numbers};
    return static_cast<const sql::Item*>(&item_);
}

Result<std::optional<std::uint64_t>> PartitionSource::count(sql::Budget& budget) const {
    if (!snapshot_.members_are_items()) return snapshot_.count();
    std::uint64_t count = 0;
    const auto members = snapshot_.members();
    for (; members->valid(); members->next()) {
        if (!budget.count(sql::kEntryUnits)) return budget.status().take_error();
        ++count;
    }
    TRY(members->status());
    return std::optional(count);
}

std::unique_ptr<index::DocnumCursor> PartitionSource::members() const {
    return snapshot_.members();
}

}  // namespace orrery::service
