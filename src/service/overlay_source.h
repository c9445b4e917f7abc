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
        : base_(base), written_(written), index_(base) {}

    std::unique_ptr<sql::ItemCursor> items(sql::ItemNumber from) override;
    Result<const sql::Item*> load(sql::ItemNumber number) override;
    bool is_whole() const override { return false; }
    std::uint64_t item_count() const override { return base_.item_count(); }
    std::unique_ptr<index::DocnumCursor> members() const override;
    const sql::IndexSource* index() const override;

private:
    // Provides the policy, which decides whether a query is allowed, but no entries.
    class NoEntries : public sql::IndexSource {
    public:
        explicit NoEntries(const PartitionSource& base) : base_(base) {}

        const index::PathPolicy& policy() const override { return base_.index()->policy(); }
        Result<Path> find(const model::IndexPath& /*path*/) const override { return Path(); }
        std::unique_ptr<index::TermCursor> terms(index::PathId path,
                                                 const index::ValueBounds& bounds,
                                                 bool backward) const override;
        Result<std::size_t> count(index::PathId path,
                                  const index::ValueBounds& bounds,
                                  std::size_t limit) const override;
        std::optional<std::size_t> find_composite(
            std::span<const index::CompositePart> /*parts*/) const override {
            return std::nullopt;
        }
        std::unique_ptr<index::TermCursor> composite(std::size_t number,
                                                     const index::ValueBounds& bounds,
                                                     bool backward) const override;
        Result<std::unique_ptr<index::DocnumCursor>> items_lacking(const Path& path,
                                                                   bool backward) const override;
        std::unique_ptr<index::DocnumCursor> unindexed() const override;

    private:
        const PartitionSource& base_;
    };

    PartitionSource& base_;
    const partition::Transaction::Written& written_;
    NoEntries index_;
    sql::Item item_;
};

}  // namespace orrery::service
