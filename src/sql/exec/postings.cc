#include "sql/exec/postings.h"

#include <algorithm>

#include "sql/arena.h"

namespace orrery::sql {

namespace {

class ValuePostings : public Postings {
public:
    ValuePostings(std::unique_ptr<index::TermCursor> cursor, std::string value)
        : cursor_(std::move(cursor)), value_(std::move(value)) {}

    bool valid() const override { return cursor_->valid(); }
    ItemNumber number() const override { return cursor_->docnum(); }
    void next() override { cursor_->next(); }
    void seek(ItemNumber number) override {
        if (valid() && cursor_->docnum() < number) cursor_->seek(value_, number);
    }
    Status status() const override { return cursor_->status(); }

private:
    std::unique_ptr<index::TermCursor> cursor_;
    std::string value_;
};

class DocnumPostings : public Postings {
public:
    explicit DocnumPostings(std::unique_ptr<index::DocnumCursor> cursor)
        : cursor_(std::move(cursor)) {}

    bool valid() const override { return cursor_->valid(); }
    ItemNumber number() const override { return cursor_->docnum(); }
    void next() override { cursor_->next(); }
    void seek(ItemNumber number) override { cursor_->seek(number); }
    Status status() const override { return cursor_->status(); }

private:
    std::unique_ptr<index::DocnumCursor> cursor_;
};

class ListedPostings : public Postings {
public:
    ListedPostings(std::vector<ItemNumber> numbers, Budget& budget)
        : charged_(budget), numbers_(std::move(numbers)) {
        charged_.charge(numbers_.capacity() * sizeof(ItemNumber));
        std::sort(numbers_.begin(), numbers_.end());
        numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
    }

    bool valid() const override { return at_ < numbers_.size(); }
    ItemNumber number() const override { return numbers_[at_]; }
    void next() override { ++at_; }
    void seek(ItemNumber number) override {
        const auto from = numbers_.begin() + static_cast<std::ptrdiff_t>(at_);
        at_ = static_cast<std::size_t>(std::lower_bound(from, numbers_.end(), number) -
                                       numbers_.begin());
    }
    Status status() const override { return {}; }

private:
    Arena charged_;  // for the numbers
    std::vector<ItemNumber> numbers_;
    std::size_t at_ = 0;
};

class Union : public Postings {
public:
    explicit Union(std::vector<PostingsPtr> parts) : parts_(std::move(parts)) { settle(); }

    bool valid() const override { return least_ != nullptr; }
    ItemNumber number() const override { return least_->number(); }
    void next() override { seek(number() + 1); }
    void seek(ItemNumber number) override {
        for (const PostingsPtr& part : parts_) {
            if (part->valid() && part->number() < number) part->seek(number);
        }
        settle();
    }
    Status status() const override {
        for (const PostingsPtr& part : parts_) {
            TRY(part->status());
        }
        return {};
    }

private:
    void settle() {
        least_ = nullptr;
        for (const PostingsPtr& part : parts_) {
            if (!part->valid()) continue;
            if (least_ == nullptr || part->number() < least_->number()) least_ = part.get();
        }
    }

    std::vector<PostingsPtr> parts_;
    Postings* least_ = nullptr;
};

// Advances each part in turn to the greatest number seen, until all agree.
class Intersection : public Postings {
public:
    Intersection(std::vector<PostingsPtr> parts, const IntersectionOptions& options)
        : parts_(std::move(parts)), options_(options) {
        settle(options.from);
    }

    bool valid() const override { return valid_; }
    ItemNumber number() const override { return number_; }
    void next() override { settle(number_ + 1); }
    void seek(ItemNumber number) override {
        if (valid_ && number_ < number) settle(number);
    }
    Status status() const override {
        for (const PostingsPtr& part : parts_) {
            TRY(part->status());
        }
        return {};
    }

private:
    void settle(ItemNumber from) {
        constexpr std::uint64_t kSeekUnits = 16;
        std::size_t agreed = 0;
        for (std::size_t i = 0; agreed < parts_.size(); i = (i + 1) % parts_.size()) {
            if (!options_.budget.count(kSeekUnits)) break;
            Postings& part = *parts_[i];
            if (part.valid() && part.number() < from) part.seek(from);
            if (!part.valid()) {
                valid_ = false;
                return;
            }
            if (part.number() == from) {
                ++agreed;
                continue;
            }
            agreed = 1;
            from = part.number();
            if (options_.reports_progress) options_.budget.progressed();
        }
        number_ = from;
        valid_ = true;
    }

    std::vector<PostingsPtr> parts_;
    const IntersectionOptions options_;
    ItemNumber number_ = 0;
    bool valid_ = false;
};

}  // namespace

PostingsPtr postings_of_value(std::unique_ptr<index::TermCursor> cursor, std::string value) {
    return std::make_unique<ValuePostings>(std::move(cursor), std::move(value));
}

PostingsPtr postings_of(std::unique_ptr<index::DocnumCursor> cursor) {
    return std::make_unique<DocnumPostings>(std::move(cursor));
}

PostingsPtr postings_of(std::vector<ItemNumber> numbers, Budget& budget) {
    return std::make_unique<ListedPostings>(std::move(numbers), budget);
}

PostingsPtr union_of(std::vector<PostingsPtr> parts) {
    if (parts.size() == 1) return std::move(parts.front());
    return std::make_unique<Union>(std::move(parts));
}

PostingsPtr intersection_of(std::vector<PostingsPtr> parts, const IntersectionOptions& options) {
    if (parts.size() == 1) return std::move(parts.front());
    return std::make_unique<Intersection>(std::move(parts), options);
}

}  // namespace orrery::sql
