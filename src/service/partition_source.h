// The items and the index of a partition as a query sees them.

#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "partition/feed.h"
#include "partition/partition.h"
#include "partition/snapshot.h"
#include "sql/source.h"

namespace orrery::service {

class PartitionSource : public sql::ItemSource {
public:
    // The state as of now.
    static Result<std::unique_ptr<PartitionSource>> open(const partition::Partition& partition,
                                                         const partition::FeedScope& scope,
                                                         std::optional<std::int32_t> default_ttl);

    partition::Lsn lsn() const { return snapshot_.state().lsn; }

    std::unique_ptr<sql::ItemCursor> items(sql::ItemNumber from) override;
    Result<const sql::Item*> load(sql::ItemNumber number) override;
    bool is_whole() const override { return snapshot_.is_whole(); }
    std::uint64_t item_count() const override { return snapshot_.state().item_count; }
    std::unique_ptr<index::DocnumCursor> members() const override;
    const sql::IndexSource* index() const override { return nullptr; }

private:
    explicit PartitionSource(partition::Snapshot snapshot) : snapshot_(std::move(snapshot)) {}

    partition::Snapshot snapshot_;
    sql::Item item_;
};

}  // namespace orrery::service
