#include "partition/snapshot.h"

#include <algorithm>

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

Error would_take_long() {
    return Error(ErrorCode::kWouldBlock, "reading the partition may take long");
}

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
    out.may_block_ = newest.may_block;
    const bool reads_in_steps = out.hides_nothing() && !scope.epks;
    if (!out.may_block_ && !reads_in_steps) return would_take_long();
    std::string counters;
    if (TRY(out.reader_->get(state_key(), counters))) out.state_ = TRY(State::decode(counters));
    return out;
}

bool Snapshot::is_whole() const { return !scope_.partition_key && !scope_.epks && hides_nothing(); }

Result<std::optional<std::uint64_t>> Snapshot::count() const {
    if (is_whole()) return std::optional<std::uint64_t>(state_.item_count);
    if (!may_block_) return would_take_long();
    if (!scope_.partition_key || !scope_.epk_is_unique || !hides_nothing()) {
        return std::optional<std::uint64_t>();
    }
    std::uint64_t count = 0;
    const auto cursor =
        reader_->scan(members_of(scope_.partition_key->epk), storage::Direction::kForward);
    for (; cursor->valid(); cursor->next()) {
        ++count;
    }
    TRY(cursor->status());
    return std::optional(count);
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

bool Snapshot::is_visible(const ItemView& item) const {
    // Distinguishes partition keys with equal hashes.
    if (scope_.partition_key && scope_.partition_key->partition_key != item.partition_key) {
        return false;
    }
    if (scope_.epks && !scope_.epks->contains(item.epk)) return false;
    return !hidden_.hides(item.partition_key, item.header);
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
        const ItemView item = TRY(ItemView::decode(docnum, record_));
        return snapshot_.is_visible(item) ? std::optional(item) : std::nullopt;
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
            const ItemView item = TRY(ItemView::decode(docnum, near_->value()));
            return snapshot_.is_visible(item) ? std::optional(item) : std::nullopt;
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

Result<std::unique_ptr<Snapshot::Walk>> Snapshot::items(Docnum from) const {
    auto walk = std::make_unique<Walk>(Walk::Made(), *this);
    storage::Range range = all_of('D');
    if (scope_.partition_key) {
        range = members_of(scope_.partition_key->epk);
        range.from = std::max(range.from, member_key(scope_.partition_key->epk, from));
        walk->members_ = true;
    } else if (scope_.epks) {
        // Members are in hash order, so sort by number.
        const auto members = reader_->scan(members_of(*scope_.epks), storage::Direction::kForward);
        for (; members->valid(); members->next()) {
            const Docnum number = TRY(docnum_of_key(members->key()));
            if (number >= from) walk->numbers_.push_back(number);
        }
        TRY(members->status());
        std::sort(walk->numbers_.begin(), walk->numbers_.end());
        return walk;
    } else {
        range.from = item_key(from);
    }
    walk->cursor_ = reader_->scan(range, storage::Direction::kForward);
    return walk;
}

Result<std::optional<ItemView>> Snapshot::Walk::next() {
    if (!cursor_) {
        while (at_ < numbers_.size()) {
            if (auto item = TRY(loader_.load(numbers_[at_++]))) return item;
        }
        return std::optional<ItemView>();
    }
    while (true) {
        if (at_++ > 0 && cursor_->valid()) cursor_->next();
        if (!cursor_->valid()) break;
        const Docnum number = TRY(docnum_of_key(cursor_->key()));
        if (members_) {
            if (auto item = TRY(loader_.load(number))) return item;
            continue;
        }
        const ItemView item = TRY(ItemView::decode(number, cursor_->value()));
        if (snapshot_.is_visible(item)) return std::optional(item);
    }
    TRY(cursor_->status());
    return std::optional<ItemView>();
}

}  // namespace orrery::partition
