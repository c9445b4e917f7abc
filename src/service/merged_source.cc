#include "service/merged_source.h"

#include <algorithm>
#include <map>
#include <optional>

#include "model/resource_id.h"
#include "service/merged_cursors.h"
#include "service/read_ahead.h"

namespace orrery::service {

namespace {

// The ranges of a partition's numbers that are walked separately; nothing means all at once.
std::vector<std::optional<std::uint32_t>> strands_of(const MergedSource::Part& part,
                                                     bool backward) {
    if (!backward) return {std::nullopt};
    return {part.ranges.begin(), part.ranges.end()};
}

}  // namespace

Result<std::unique_ptr<MergedSource>> MergedSource::open(
    ThreadPool& readers, std::vector<std::unique_ptr<PartitionSource>> sources) {
    std::vector<Part> parts;
    for (auto& source : sources) {
        std::vector<std::uint32_t> ranges = TRY(source->number_ranges());
        parts.push_back({.source = std::move(source), .ranges = std::move(ranges)});
    }
    return std::make_unique<MergedSource>(Opened(), readers, std::move(parts));
}

// Reads the numbers of one range after those of another. Partitions that were split from one parent
// both have numbers of its range; these are merged.
std::unique_ptr<sql::ItemCursor> MergedSource::items(sql::ItemNumber from) {
    std::map<std::uint32_t, std::vector<PartitionSource*>> holders;
    for (const Part& part : parts_) {
        for (const std::uint32_t range : part.ranges) {
            if (range >= model::range_of_number(from)) holders[range].push_back(part.source.get());
        }
    }
    std::vector<OpenItems> runs;
    for (auto& [range, sources] : holders) {
        const sql::ItemNumber first = sql::ItemNumber{range} << model::kItemCounterBits;
        const sql::ItemNumber until = (sql::ItemNumber{range} + 1) << model::kItemCounterBits;
        runs.emplace_back([sources = std::move(sources), start = std::max(first, from), until] {
            std::vector<std::unique_ptr<sql::ItemCursor>> cursors;
            for (PartitionSource* source : sources) {
                cursors.push_back(source->items(start));
            }
            return merge_items(std::move(cursors), until);
        });
    }
    return read_ahead(readers_, std::move(runs), from);
}

Result<const sql::Item*> MergedSource::load(sql::ItemNumber number) {
    // At most one partition has the item. Only those with numbers of its range can.
    for (const Part& part : parts_) {
        const bool possible = std::binary_search(
            part.ranges.begin(), part.ranges.end(), model::range_of_number(number));
        if (!possible) continue;
        const sql::Item* item = TRY(part.source->load(number));
        if (item != nullptr) return item;
    }
    return static_cast<const sql::Item*>(nullptr);
}

bool MergedSource::is_whole() const {
    return std::all_of(
        parts_.begin(), parts_.end(), [](const Part& part) { return part.source->is_whole(); });
}

std::uint64_t MergedSource::item_count() const {
    std::uint64_t sum = 0;
    for (const Part& part : parts_) {
        sum += part.source->item_count();
    }
    return sum;
}

Result<std::optional<std::uint64_t>> MergedSource::count(sql::Budget& budget) const {
    std::uint64_t sum = 0;
    for (const Part& part : parts_) {
        const auto count = TRY(part.source->count(budget));
        if (!count) return std::optional<std::uint64_t>();
        sum += *count;
    }
    return std::optional(sum);
}

const index::PathPolicy* MergedSource::policy() const {
    return index() == nullptr ? nullptr : parts_.front().source->policy();
}

const sql::IndexSource* MergedSource::index() const {
    const bool usable = std::all_of(parts_.begin(), parts_.end(), [](const Part& part) {
        return part.source->index() != nullptr;
    });
    return usable ? &index_ : nullptr;
}

Result<sql::IndexSource::Path> MergedSource::Index::find(const model::IndexPath& path) const {
    std::vector<Path> known;
    bool listed = false;
    for (const Part& part : parts_) {
        known.push_back(TRY(part.source->index()->find(path)));
        if (known.back().state == PathState::kUnusable) return Path();
        listed = listed || known.back().state == PathState::kListed;
    }
    paths_.push_back(std::move(known));
    return Path{.state = listed ? PathState::kListed : PathState::kAbsent,
                .id = static_cast<index::PathId>(paths_.size())};
}

std::unique_ptr<index::TermCursor> MergedSource::Index::terms(index::PathId path,
                                                              const index::ValueBounds& bounds,
                                                              bool backward) const {
    const std::vector<Path>& known = paths_[path - 1];
    std::vector<Strand<index::TermCursor>> strands;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (known[i].state != PathState::kListed) continue;
        for (const auto& range : strands_of(parts_[i], backward)) {
            strands.push_back(
                {parts_[i].source->index()->terms(known[i].id, bounds, backward), range});
        }
    }
    return merge(std::move(strands), backward);
}

Result<std::size_t> MergedSource::Index::count(index::PathId path,
                                               const index::ValueBounds& bounds,
                                               std::size_t limit) const {
    const std::vector<Path>& known = paths_[path - 1];
    std::size_t sum = 0;
    for (std::size_t i = 0; i < parts_.size() && sum < limit; ++i) {
        if (known[i].state != PathState::kListed) continue;
        sum += TRY(parts_[i].source->index()->count(known[i].id, bounds, limit - sum));
    }
    return sum;
}

std::optional<std::size_t> MergedSource::Index::find_composite(
    std::span<const index::CompositePart> wanted) const {
    std::vector<std::size_t> numbers;
    for (const Part& part : parts_) {
        const auto number = part.source->index()->find_composite(wanted);
        if (!number) return std::nullopt;
        numbers.push_back(*number);
    }
    composites_.push_back(std::move(numbers));
    return composites_.size() - 1;
}

std::unique_ptr<index::TermCursor> MergedSource::Index::composite(std::size_t number,
                                                                  const index::ValueBounds& bounds,
                                                                  bool backward) const {
    std::vector<Strand<index::TermCursor>> strands;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const sql::IndexSource& index = *parts_[i].source->index();
        for (const auto& range : strands_of(parts_[i], backward)) {
            strands.push_back({index.composite(composites_[number][i], bounds, backward), range});
        }
    }
    return merge(std::move(strands), backward);
}

Result<std::unique_ptr<index::DocnumCursor>> MergedSource::Index::items_lacking(
    const Path& path, bool backward) const {
    std::vector<Strand<index::DocnumCursor>> strands;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        const sql::IndexSource& index = *parts_[i].source->index();
        for (const auto& range : strands_of(parts_[i], backward)) {
            strands.push_back({TRY(index.items_lacking(paths_[path.id - 1][i], backward)), range});
        }
    }
    return merge(std::move(strands), backward);
}

std::unique_ptr<index::DocnumCursor> MergedSource::Index::unindexed() const {
    std::vector<Strand<index::DocnumCursor>> strands;
    for (const Part& part : parts_) {
        strands.push_back({part.source->index()->unindexed(), std::nullopt});
    }
    return merge(std::move(strands), false);
}

}  // namespace orrery::service
