#include "partition/snapshot.h"

#include <algorithm>
#include <utility>

#include "model/resource_id.h"

namespace orrery::partition {

namespace {

// Stepping a cursor is cheaper than a lookup if the item is this near.
constexpr Docnum kNear = 16;

class Members : public index::DocnumCursor {
public:
    Members(std::shared_ptr<const storage::Reader> reader, std::string epk)
        : reader_(std::move(reader)), epk_(std::move(epk)) {
        move_to(members_of(epk_));
    }

    bool valid() const override { return cursor_->valid() && status_; }
    Docnum docnum() const override { return docnum_; }
    bool to_be_checked() const override { return false; }
    void next() override {
        cursor_->next();
        read();
    }
    void seek(Docnum docnum) override {
        if (!valid() || docnum_ >= docnum) return;
        storage::Range range = members_of(epk_);
        range.from = member_key(epk_, docnum);
        move_to(range);
    }
    Status status() const override {
        if (!status_) return Error(status_.error().code(), status_.error().message());
        return cursor_->status();
    }

private:
    void move_to(const storage::Range& range) {
        cursor_ = reader_->scan(range, storage::Direction::kForward);
        read();
    }

    void read() {
        if (!cursor_->valid()) return;
        auto docnum = docnum_of_key(cursor_->key());
        if (docnum) {
            docnum_ = *docnum;
        } else {
            status_ = std::move(docnum).take_error();
        }
    }

    std::shared_ptr<const storage::Reader> reader_;
    std::string epk_;
    std::unique_ptr<storage::Cursor> cursor_;
    Docnum docnum_ = 0;
    Status status_;
};

}  // namespace

Result<Snapshot> Snapshot::take(const Partition& partition,
                                const FeedScope& scope,
                                std::optional<std::int32_t> default_ttl,
                                std::optional<Partition::View> view) {
    Snapshot out;
    Partition::View newest = view ? *std::move(view) : partition.view();
    out.reader_ = std::move(newest.reader);
    out.scope_ = scope;
    out.hidden_ = {{default_ttl, partition.clock().now_seconds()}, std::move(newest.deletes)};
    std::string counters;
    if (TRY(out.reader_->get(state_key(), counters))) out.state_ = TRY(State::decode(counters));
    return out;
}

bool Snapshot::is_whole() const { return !scope_.partition_key && !scope_.epks && hides_nothing(); }

std::optional<std::uint64_t> Snapshot::count() const {
    return is_whole() ? std::optional(state_.item_count) : std::nullopt;
}

Result<std::vector<std::uint32_t>> Snapshot::number_ranges() const {
    std::vector<std::uint32_t> ranges;
    const auto cursor = reader_->scan(all_of('D'), storage::Direction::kForward);
    while (cursor->valid()) {
        const Docnum first = TRY(docnum_of_key(cursor->key()));
        const std::uint32_t range = model::range_of_number(first);
        ranges.push_back(range);
        cursor->seek(item_key((Docnum{range} + 1) << model::kItemCounterBits));
    }
    TRY(cursor->status());
    return ranges;
}

std::optional<ItemView> Snapshot::visible(const ItemView& item) const {
    if (!scope_.contains(item.partition_key, item.epk)) return std::nullopt;
    if (hidden_.hides(item.partition_key, item.header)) return std::nullopt;
    return item;
}

// Uses lookups for single items, and steps a cursor through items that are close together.
Result<std::optional<ItemView>> Snapshot::Loader::load(Docnum docnum) {
    const bool up = last_ && docnum > *last_ && docnum - *last_ <= kNear;
    const bool down = last_ && docnum < *last_ && *last_ - docnum <= kNear;
    last_ = docnum;
    if (!up && !down) {
        near_.reset();
        if (!TRY(snapshot_.reader_->get(item_key(docnum), record_))) {
            return std::optional<ItemView>();
        }
        return snapshot_.visible(TRY(ItemView::decode(docnum, record_)));
    }
    if (!near_ || up != upward_) {
        storage::Range range = all_of('D');
        (up ? range.from : range.until.emplace()) = item_key(up ? docnum : docnum + 1);
        upward_ = up;
        near_ = snapshot_.reader_->scan(
            range, up ? storage::Direction::kForward : storage::Direction::kBackward);
    }
    for (; near_->valid(); near_->next()) {
        const Docnum at = TRY(docnum_of_key(near_->key()));
        if (at == docnum) {
            return snapshot_.visible(TRY(ItemView::decode(docnum, near_->value())));
        }
        if (up ? at > docnum : at < docnum) return std::optional<ItemView>();
    }
    TRY(near_->status());
    return std::optional<ItemView>();
}

std::unique_ptr<index::DocnumCursor> Snapshot::members() const {
    if (!scope_.partition_key) return nullptr;
    return std::make_unique<Members>(reader_, scope_.partition_key->epk);
}

class Snapshot::AllItems : public Walk {
public:
    AllItems(const Snapshot& snapshot, Docnum from) : snapshot_(snapshot) {
        storage::Range range = all_of('D');
        range.from = item_key(from);
        cursor_ = snapshot.reader_->scan(range, storage::Direction::kForward);
    }

    Result<std::optional<Found>> next() override {
        if (std::exchange(started_, true) && cursor_->valid()) cursor_->next();
        if (!cursor_->valid()) {
            TRY(cursor_->status());
            return std::optional<Found>();
        }
        const Docnum number = TRY(docnum_of_key(cursor_->key()));
        const ItemView item = TRY(ItemView::decode(number, cursor_->value()));
        return std::optional<Found>({number, snapshot_.visible(item)});
    }

private:
    const Snapshot& snapshot_;
    std::unique_ptr<storage::Cursor> cursor_;
    bool started_ = false;
};

class Snapshot::ItemsOfKey : public Walk {
public:
    ItemsOfKey(const Snapshot& snapshot, Docnum from)
        : loader_(snapshot), members_(snapshot.members()) {
        members_->seek(from);
    }

    Result<std::optional<Found>> next() override {
        if (std::exchange(started_, true) && members_->valid()) members_->next();
        if (!members_->valid()) {
            TRY(members_->status());
            return std::optional<Found>();
        }
        const Docnum number = members_->docnum();
        return std::optional<Found>({number, TRY(loader_.load(number))});
    }

private:
    Loader loader_;
    std::unique_ptr<index::DocnumCursor> members_;
    bool started_ = false;
};

// Members are in the order of their hashes. Collects the lowest numbers, returns these items, then
// collects the next.
class Snapshot::ItemsOfRange : public Walk {
public:
    ItemsOfRange(const Snapshot& snapshot, Docnum from, std::size_t sorted_max)
        : snapshot_(snapshot), loader_(snapshot), from_(from), sorted_max_(sorted_max) {
        search();
    }

    Result<std::optional<Found>> next() override {
        if (members_) {
            TRY(collect());
            return std::optional<Found>({from_, std::nullopt});
        }
        if (at_ == numbers_.size() && left_out_) {
            from_ = numbers_.back() + 1;
            search();
            return std::optional<Found>({from_, std::nullopt});
        }
        if (at_ == numbers_.size()) return std::optional<Found>();
        const Docnum number = numbers_[at_++];
        return std::optional<Found>({number, TRY(loader_.load(number))});
    }

private:
    static constexpr int kMembersPerStep = 64;

    void search() {
        members_ = snapshot_.reader_->scan(members_of(*snapshot_.scope_.epks),
                                           storage::Direction::kForward);
        numbers_.clear();
        left_out_ = false;
        at_ = 0;
    }

    Status collect() {
        for (int i = 0; i < kMembersPerStep && members_->valid(); ++i, members_->next()) {
            const Docnum number = TRY(docnum_of_key(members_->key()));
            if (number >= from_) keep(number);
        }
        if (members_->valid()) return {};
        TRY(members_->status());
        members_.reset();
        std::sort_heap(numbers_.begin(), numbers_.end());
        return {};
    }

    void keep(Docnum number) {
        if (numbers_.size() == sorted_max_) {
            left_out_ = true;
            if (number > numbers_.front()) return;
            std::pop_heap(numbers_.begin(), numbers_.end());
            numbers_.pop_back();
        }
        numbers_.push_back(number);
        std::push_heap(numbers_.begin(), numbers_.end());
    }

    const Snapshot& snapshot_;
    Loader loader_;
    Docnum from_;
    const std::size_t sorted_max_;
    std::unique_ptr<storage::Cursor> members_;  // while collecting
    std::vector<Docnum> numbers_;               // a heap while collecting, then sorted
    bool left_out_ = false;                     // there are higher numbers
    std::size_t at_ = 0;
};

std::unique_ptr<Snapshot::Walk> Snapshot::items(Docnum from, std::size_t sorted_max) const {
    if (scope_.partition_key) return std::make_unique<ItemsOfKey>(*this, from);
    if (scope_.epks) return std::make_unique<ItemsOfRange>(*this, from, sorted_max);
    return std::make_unique<AllItems>(*this, from);
}

}  // namespace orrery::partition
