// The items and the index of a partition as a query sees them.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "partition/feed.h"
#include "partition/index_reader.h"
#include "partition/partition.h"
#include "partition/snapshot.h"
#include "partition/transaction.h"
#include "sql/source.h"

namespace orrery::service {

class PartitionSource : public sql::ItemSource {
    struct Opened {};  // restricts construction to open()

public:
    PartitionSource(Opened /*opened*/, partition::Snapshot snapshot, partition::IndexReader reader)
        : snapshot_(std::move(snapshot)), loader_(snapshot_), index_(std::move(reader)) {}

    // The state as of now. Where it may not block: kWouldBlock, now or on reading, if the data is
    // not in memory.
    static Result<std::unique_ptr<PartitionSource>> open(const partition::Partition& partition,
                                                         const partition::FeedScope& scope,
                                                         std::optional<std::int32_t> default_ttl,
                                                         bool may_block);
    // The state as of the transaction's snapshot.
    static Result<std::unique_ptr<PartitionSource>> open(const partition::Partition& partition,
                                                         const partition::Transaction& transaction,
                                                         const partition::FeedScope& scope,
                                                         std::optional<std::int32_t> default_ttl);

    partition::Lsn lsn() const { return snapshot_.state().lsn; }
    // The ranges that assigned the numbers of the partition's items, ascending: its own and those
    // it was split from.
    Result<std::vector<std::uint32_t>> number_ranges() const { return snapshot_.number_ranges(); }

    // The returned cursor may be used on any thread.
    std::unique_ptr<sql::ItemCursor> items(sql::ItemNumber from) override;
    Result<const sql::Item*> load(sql::ItemNumber number) override;
    bool is_whole() const override { return snapshot_.is_whole(); }
    std::uint64_t item_count() const override { return snapshot_.state().item_count; }
    Result<std::optional<std::uint64_t>> count(sql::Budget& budget) const override;
    std::unique_ptr<index::DocnumCursor> members() const override;
    const index::PathPolicy* policy() const override {
        return index_.policy().enabled() ? &index_.policy() : nullptr;
    }
    const sql::IndexSource* index() const override {
        return index_.policy().enabled() ? &index_ : nullptr;
    }

private:
    const partition::Snapshot snapshot_;
    partition::Snapshot::Loader loader_;
    const partition::IndexReader index_;
    sql::Item item_;
};

}  // namespace orrery::service
