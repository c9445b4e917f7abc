#include "service/merged_cursors.h"

#include <limits>
#include <utility>

#include "model/resource_id.h"

namespace orrery::service {

namespace {

using index::Docnum;

constexpr Docnum kLastDocnum = std::numeric_limits<Docnum>::max();
constexpr Docnum kCounterMask = (Docnum{1} << model::kItemCounterBits) - 1;

// No item has these numbers: they stand for the ends of a cursor.
bool is_end(Docnum number) { return number == 0 || number == kLastDocnum; }

// Ascends in the common order.
Docnum rank_of(Docnum number, bool backward) { return backward ? number ^ kCounterMask : number; }

template <typename Cursor>
void settle(Strand<Cursor>& strand) {
    const auto& [cursor, range] = strand;
    while (range && cursor->valid() && model::range_of_number(cursor->docnum()) != *range) {
        cursor->next();
    }
}

template <typename Cursor>
std::vector<Strand<Cursor>> settled(std::vector<Strand<Cursor>> strands) {
    for (Strand<Cursor>& strand : strands) {
        settle(strand);
    }
    return strands;
}

template <typename Cursor>
Status status_of(const std::vector<Strand<Cursor>>& strands) {
    for (const Strand<Cursor>& strand : strands) {
        TRY(strand.cursor->status());
    }
    return {};
}

class MergedTerms : public index::TermCursor {
public:
    MergedTerms(std::vector<Strand<index::TermCursor>> strands, bool backward)
        : strands_(settled(std::move(strands))), backward_(backward) {
        find_first();
    }

    bool valid() const override { return first_ != nullptr; }
    std::string_view value() const override { return first_->cursor->value(); }
    Docnum docnum() const override { return first_->cursor->docnum(); }
    void next() override {
        first_->cursor->next();
        settle(*first_);
        find_first();
    }
    void seek(std::string_view value, Docnum docnum) override {
        for (Strand<index::TermCursor>& strand : strands_) {
            if (!strand.cursor->valid()) continue;
            strand.cursor->seek(value, number_in(strand, docnum));
            settle(strand);
        }
        find_first();
    }
    Status status() const override { return status_of(strands_); }

private:
    // Where a strand goes on if the others are at `docnum`. Backward, at the same value, ranges
    // below that of the number have been returned and those above have not.
    static Docnum number_in(const Strand<index::TermCursor>& strand, Docnum docnum) {
        if (!strand.range || is_end(docnum)) return docnum;
        const std::uint32_t range = model::range_of_number(docnum);
        if (*strand.range == range) return docnum;
        return *strand.range < range ? 0 : kLastDocnum;
    }

    void find_first() {
        first_ = nullptr;
        for (Strand<index::TermCursor>& strand : strands_) {
            if (strand.cursor->valid() && (first_ == nullptr || precedes(strand, *first_))) {
                first_ = &strand;
            }
        }
    }

    bool precedes(const Strand<index::TermCursor>& a, const Strand<index::TermCursor>& b) const {
        const int order = a.cursor->value().compare(b.cursor->value());
        if (order != 0) return backward_ ? order > 0 : order < 0;
        return rank_of(a.cursor->docnum(), backward_) < rank_of(b.cursor->docnum(), backward_);
    }

    std::vector<Strand<index::TermCursor>> strands_;
    const bool backward_;
    Strand<index::TermCursor>* first_ = nullptr;
};

class MergedDocnums : public index::DocnumCursor {
public:
    MergedDocnums(std::vector<Strand<index::DocnumCursor>> strands, bool backward)
        : strands_(settled(std::move(strands))), backward_(backward) {
        find_first();
    }

    bool valid() const override { return first_ != nullptr; }
    Docnum docnum() const override { return first_->cursor->docnum(); }
    bool to_be_checked() const override { return first_->cursor->to_be_checked(); }
    void next() override {
        first_->cursor->next();
        settle(*first_);
        find_first();
    }
    void seek(Docnum docnum) override {
        if (!is_end(docnum)) from_rank_ = rank_of(docnum, backward_);
        for (Strand<index::DocnumCursor>& strand : strands_) {
            const bool begun =
                !strand.range || is_end(docnum) || *strand.range == model::range_of_number(docnum);
            if (!begun || !strand.cursor->valid()) continue;
            strand.cursor->seek(docnum);
            settle(strand);
        }
        find_first();
    }
    Status status() const override { return status_of(strands_); }

private:
    void find_first() {
        first_ = nullptr;
        for (Strand<index::DocnumCursor>& strand : strands_) {
            if (!strand.cursor->valid()) continue;
            const Docnum rank = rank_of(strand.cursor->docnum(), backward_);
            if (rank < from_rank_) continue;  // of a range that seek() has passed
            if (first_ == nullptr || rank < rank_of(first_->cursor->docnum(), backward_)) {
                first_ = &strand;
            }
        }
    }

    std::vector<Strand<index::DocnumCursor>> strands_;
    const bool backward_;
    Docnum from_rank_ = 0;
    Strand<index::DocnumCursor>* first_ = nullptr;
};

class MergedItems : public sql::ItemCursor {
public:
    MergedItems(std::vector<std::unique_ptr<sql::ItemCursor>> cursors, sql::ItemNumber until)
        : cursors_(std::move(cursors)), items_(cursors_.size()), until_(until) {}

    Result<const sql::Item*> next() override {
        if (!started_) {
            for (std::size_t i = 0; i < cursors_.size(); ++i) {
                items_[i] = TRY(cursors_[i]->next());
            }
            started_ = true;
        } else if (items_[at_] != nullptr) {
            items_[at_] = TRY(cursors_[at_]->next());
        }
        for (std::size_t i = 0; i < items_.size(); ++i) {
            if (items_[i] != nullptr && comes_before(*items_[i], items_[at_])) at_ = i;
        }
        const bool ended = items_[at_] == nullptr || items_[at_]->number >= until_;
        return ended ? nullptr : items_[at_];
    }

private:
    static bool comes_before(const sql::Item& a, const sql::Item* b) {
        if (b == nullptr || a.number != b->number) return b == nullptr || a.number < b->number;
        return a.is_hidden() && !b->is_hidden();
    }

    const std::vector<std::unique_ptr<sql::ItemCursor>> cursors_;
    std::vector<const sql::Item*> items_;  // the current one of each; null at its end
    const sql::ItemNumber until_;
    std::size_t at_ = 0;
    bool started_ = false;
};

}  // namespace

std::unique_ptr<index::TermCursor> merge(std::vector<Strand<index::TermCursor>> strands,
                                         bool backward) {
    return std::make_unique<MergedTerms>(std::move(strands), backward);
}

std::unique_ptr<index::DocnumCursor> merge(std::vector<Strand<index::DocnumCursor>> strands,
                                           bool backward) {
    return std::make_unique<MergedDocnums>(std::move(strands), backward);
}

std::unique_ptr<sql::ItemCursor> merge_items(std::vector<std::unique_ptr<sql::ItemCursor>> cursors,
                                             sql::ItemNumber until) {
    return std::make_unique<MergedItems>(std::move(cursors), until);
}

}  // namespace orrery::service
