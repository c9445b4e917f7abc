// Combines several partitions into one source, so that the server can run any query over all of
// them: reads their items in parallel, walks their indexes side by side, and returns rows in the
// order in which SDKs merge them. Items with equal sort keys are ordered by number.
//
// A number identifies an item in its container, whichever partition holds it. So the common order,
// and a position in it, do not depend on how the items are spread over partitions.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread_pool.h"
#include "service/partition_source.h"
#include "sql/source.h"

namespace orrery::service {

class MergedSource : public sql::ItemSource {
    struct Opened {};  // restricts construction to open()

public:
    // `readers` must run nothing else, so that its threads never wait on this source.
    static Result<std::unique_ptr<MergedSource>> open(
        ThreadPool& readers, std::vector<std::unique_ptr<PartitionSource>> sources);

    struct Part {
        std::unique_ptr<PartitionSource> source;
        // Of its numbers. Most partitions have one; after a split also those of the parent.
        std::vector<std::uint32_t> ranges;
    };
    MergedSource(Opened /*opened*/, ThreadPool& readers, std::vector<Part> parts)
        : readers_(readers), parts_(std::move(parts)), index_(parts_) {}

    std::unique_ptr<sql::ItemCursor> items(sql::ItemNumber from) override;
    Result<const sql::Item*> load(sql::ItemNumber number) override;
    bool is_whole() const override;
    std::uint64_t item_count() const override;
    Result<std::optional<std::uint64_t>> count(sql::Budget& budget) const override;
    std::unique_ptr<index::DocnumCursor> members() const override { return nullptr; }
    const index::PathPolicy* policy() const override;
    const sql::IndexSource* index() const override;
    sql::NumberOrder descending_order() const override {
        return sql::NumberOrder::kDescendingByRange;
    }

private:
    class Index : public sql::IndexSource {
    public:
        explicit Index(const std::vector<Part>& parts) : parts_(parts) {}

        Result<Path> find(const model::IndexPath& path) const override;
        std::unique_ptr<index::TermCursor> terms(index::PathId path,
                                                 const index::ValueBounds& bounds,
                                                 bool backward) const override;
        Result<std::size_t> count(index::PathId path,
                                  const index::ValueBounds& bounds,
                                  std::size_t limit) const override;
        std::optional<std::size_t> find_composite(
            std::span<const index::CompositePart> parts) const override;
        std::unique_ptr<index::TermCursor> composite(std::size_t number,
                                                     const index::ValueBounds& bounds,
                                                     bool backward) const override;
        Result<std::unique_ptr<index::DocnumCursor>> items_lacking(const Path& path,
                                                                   bool backward) const override;
        std::unique_ptr<index::DocnumCursor> unindexed() const override;

    private:
        const std::vector<Part>& parts_;
        // The path or composite index in each partition. Our number for it is the position here,
        // plus one for paths.
        mutable std::vector<std::vector<Path>> paths_;
        mutable std::vector<std::vector<std::size_t>> composites_;
    };

    ThreadPool& readers_;
    const std::vector<Part> parts_;
    Index index_;
};

}  // namespace orrery::service
