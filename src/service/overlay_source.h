// The items a transaction sees: its snapshot with its own writes applied. Before the first write
// this is the snapshot with its index; after that items are found by scanning the logical
// partition, because the index does not contain the writes.

#pragma once

#include <memory>

#include "partition/transaction.h"
#include "service/partition_source.h"
#include "sql/source.h"

namespace orrery::service {

class OverlaySource : public sql::ItemSource {
public:
    // `base` reads the transaction's snapshot, restricted to its logical partition. Both must
    // outlive this.
    OverlaySource(PartitionSource& base, const partition::Transaction::Written& written)
        : base_(base), written_(written) {}

    std::unique_ptr<sql::ItemCursor> items(sql::ItemNumber from) override;
    Result<const sql::Item*> load(sql::ItemNumber number) override;
    bool is_whole() const override { return false; }
    std::uint64_t item_count() const override { return base_.item_count(); }
    Result<std::optional<std::uint64_t>> count(sql::Budget& /*budget*/) const override {
        return std::optional<std::uint64_t>();
    }
    std::unique_ptr<index::DocnumCursor> members() const override;
    const index::PathPolicy* policy() const override { return base_.policy(); }
    const sql::IndexSource* index() const override {
        return written_.empty() ? base_.index() : nullptr;
    }

private:
    PartitionSource& base_;
    const partition::Transaction::Written& written_;
    sql::Item item_;
};

}  // namespace orrery::service
