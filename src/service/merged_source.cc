#include "service/merged_source.h"

#include <algorithm>
#include <limits>

#include "model/resource_id.h"
#include "service/read_ahead.h"

namespace orrery::service {

namespace {

using index::Docnum;

std::uint32_t range_of(Docnum number) {
    return static_cast<std::uint32_t>(number >> model::kItemCounterBits);
}

// Entries of all parts ordered by value; equal values are ordered by part.
class MergedTerms : public index::TermCursor {
public:
    struct Part {
        std::uint32_t range_id;
        std::unique_ptr<index::TermCursor> cursor;
    };

    MergedTerms(std::vector<Part> parts, bool backward)
        : parts_(std::move(parts)), backward_(backward) {
        settle();
    }

    bool valid() const override { return first_ != nullptr; }
    std::string_view value() const override { return first_->value(); }
    Docnum docnum() const override { return first_->docnum(); }
    void next() override {
        first_->next();
        settle();
    }
    // At `value` itself, entries of parts before the number's have been returned and those of later
    // parts have not.
    void seek(std::string_view value, Docnum docnum) override {
        constexpr Docnum kLast = std::numeric_limits<Docnum>::max();
        const std::uint32_t range = range_of(docnum);
        for (const Part& part : parts_) {
            if (!part.cursor->valid()) continue;
            if (part.range_id == range) {
                part.cursor->seek(value, docnum);
            } else {
                const bool walked = part.range_id < range;
                part.cursor->seek(value, walked == backward_ ? 0 : kLast);
            }
        }
        settle();
    }
    Status status() const override {
        for (const Part& part : parts_) {
            TRY(part.cursor->status());
        }
        return {};
    }

private:
    void settle() {
        first_ = nullptr;
        for (const Part& part : parts_) {
            if (!part.cursor->valid()) continue;
            const bool before =
                first_ == nullptr || (backward_ ? part.cursor->value() > first_->value()
                                                : part.cursor->value() < first_->value());
            if (before) first_ = part.cursor.get();
        }
    }

    std::vector<Part> parts_;
    bool backward_;
    index::TermCursor* first_ = nullptr;
};

class ConcatenatedDocnums : public index::DocnumCursor {
public:
    struct Part {
        std::uint32_t range_id;
        std::unique_ptr<index::DocnumCursor> cursor;
    };

    explicit ConcatenatedDocnums(std::vector<Part> parts) : parts_(std::move(parts)) { settle(); }

    bool valid() const override { return at_ < parts_.size(); }
    Docnum docnum() const override { return parts_[at_].cursor->docnum(); }
    bool to_be_checked() const override { return parts_[at_].cursor->to_be_checked(); }
    void next() override {
        parts_[at_].cursor->next();
        settle();
    }
    void seek(Docnum docnum) override {
        const std::uint32_t range = range_of(docnum);
        while (at_ < parts_.size() && parts_[at_].range_id < range) {
            ++at_;
        }
        if (valid() && parts_[at_].range_id == range) parts_[at_].cursor->seek(docnum);
        settle();
    }
    Status status() const override {
        for (const Part& part : parts_) {
            TRY(part.cursor->status());
        }
        return {};
    }

private:
    void settle() {
        while (at_ < parts_.size() && !parts_[at_].cursor->valid()) {
            ++at_;
        }
    }

    std::vector<Part> parts_;
    std::size_t at_ = 0;
};

}  // namespace

MergedSource::MergedSource(ThreadPool& readers, std::vector<Part> parts)
    : readers_(readers), parts_(std::move(parts)), index_(parts_) {
    std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) {
        return a.range_id < b.range_id;
    });
}

std::unique_ptr<sql::ItemCursor> MergedSource::items(sql::ItemNumber from) {
    std::vector<OpenItems> parts;
    for (const Part& part : parts_) {
        if (part.range_id < range_of(from)) continue;
        parts.emplace_back([&source = *part.source, from] { return source.items(from); });
    }
    return read_ahead(readers_, std::move(parts));
}

Result<const sql::Item*> MergedSource::load(sql::ItemNumber number) {
    for (const Part& part : parts_) {
        if (part.range_id == range_of(number)) return part.source->load(number);
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

Result<std::optional<std::uint64_t>> MergedSource::count() const {
    std::uint64_t sum = 0;
    for (const Part& part : parts_) {
        const auto count = TRY(part.source->count());
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
    std::vector<MergedTerms::Part> parts;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        if (known[i].state != PathState::kListed) continue;
        parts.push_back(
            {parts_[i].range_id, parts_[i].source->index()->terms(known[i].id, bounds, backward)});
    }
    return std::make_unique<MergedTerms>(std::move(parts), backward);
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
    std::vector<MergedTerms::Part> parts;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        parts.push_back(
            {parts_[i].range_id,
             parts_[i].source->index()->composite(composites_[number][i], bounds, backward)});
    }
    return std::make_unique<MergedTerms>(std::move(parts), backward);
}

Result<std::unique_ptr<index::DocnumCursor>> MergedSource::Index::items_lacking(
    const Path& path, bool backward) const {
    std::vector<ConcatenatedDocnums::Part> parts;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        parts.push_back(
            {parts_[i].range_id,
             TRY(parts_[i].source->index()->items_lacking(paths_[path.id - 1][i], backward))});
    }
    return std::unique_ptr<index::DocnumCursor>(
        std::make_unique<ConcatenatedDocnums>(std::move(parts)));
}

std::unique_ptr<index::DocnumCursor> MergedSource::Index::unindexed() const {
    std::vector<ConcatenatedDocnums::Part> parts;
    for (const Part& part : parts_) {
        parts.push_back({part.range_id, part.source->index()->unindexed()});
    }
    return std::make_unique<ConcatenatedDocnums>(std::move(parts));
}

}  // namespace orrery::service
