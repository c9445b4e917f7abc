#include "partition/feed.h"

namespace orrery::partition {

namespace {

// Items visited per page: bounds the time when few of them are in scope.
constexpr std::size_t kItemsVisitedMax = 20'000;

class PageReader {
public:
    PageReader(const Partition& partition, const FeedRequest& request) : request_(request) {
        Partition::View view = partition.view();
        state_ = std::move(view.reader);
        open_ = partition.check_open();
        hidden_ = {{request.default_ttl, partition.clock().now_seconds()}, std::move(view.deletes)};
    }

    Result<FeedPage> read() {
        TRY(std::move(open_));
        std::string counters;
        if (TRY(state_->get(state_key(), counters))) page_.lsn = TRY(State::decode(counters)).lsn;
        if (is_by_number()) {
            TRY(read_all());
        } else {
            TRY(read_members(members()));
        }
        return std::move(page_);
    }

private:
    // A feed keeps the order it began in, whatever the form of its scope: the same items can be
    // named by a range, a part of the hash space or a key.
    bool is_by_number() const {
        if (!request_.resume.empty()) return docnum_of_item_key(request_.resume).has_value();
        return !request_.scope.partition_key && !request_.scope.epks;
    }

    storage::Range members() const {
        const FeedScope& scope = request_.scope;
        if (scope.partition_key) return members_of(scope.partition_key->epk);
        return scope.epks ? members_of(*scope.epks) : all_of('P');
    }

    Status read_all() {
        const auto cursor = scan_from_resume(all_of('D'));
        for (; cursor->valid(); cursor->next()) {
            if (page_is_over(cursor->key())) return {};
            const Docnum docnum = TRY(docnum_of_key(cursor->key()));
            const StoredItem item = TRY(StoredItem::decode(docnum, std::string(cursor->value())));
            if (!add(item, cursor->key())) return {};
        }
        return cursor->status();
    }

    Status read_members(storage::Range members) {
        const auto cursor = scan_from_resume(std::move(members));
        std::string record;
        for (; cursor->valid(); cursor->next()) {
            if (page_is_over(cursor->key())) return {};
            const Docnum docnum = TRY(docnum_of_key(cursor->key()));
            if (!TRY(state_->get(item_key(docnum), record))) {
                return Error(ErrorCode::kCorrupted, "a member entry has no item");
            }
            const StoredItem item = TRY(StoredItem::decode(docnum, std::move(record)));
            if (!add(item, cursor->key())) return {};
        }
        return cursor->status();
    }

    std::unique_ptr<storage::Cursor> scan_from_resume(storage::Range range) const {
        if (request_.resume > range.from) range.from = request_.resume;
        return state_->scan(range, storage::Direction::kForward);
    }

    bool page_is_over(std::string_view key) {
        if (++visited_ <= kItemsVisitedMax) return false;
        page_.resume = std::string(key);
        return true;
    }

    // Returns false if the item belongs to the next page, which then starts at its key.
    bool add(const StoredItem& item, std::string_view key) {
        if (!request_.scope.contains(item.partition_key(), item.epk()) ||
            hidden_.hides(item.partition_key(), item.header()))
            return true;
        const std::size_t size = item.json().size() + 1;
        const bool any_size = page_.count == 0 && request_.at_least_one;
        const bool full = page_.count == request_.items_max ||
                          (!any_size && page_.items.size() + size > request_.bytes_max);
        if (full) {
            page_.resume = std::string(key);
            return false;
        }
        if (page_.count++ > 0) page_.items += ',';
        page_.items.append(item.json());
        return true;
    }

    const FeedRequest& request_;
    Status open_;
    std::shared_ptr<const storage::Reader> state_;
    Hidden hidden_;
    FeedPage page_;
    std::size_t visited_ = 0;
};

}  // namespace

Result<FeedPage> read_feed(const Partition& partition, const FeedRequest& request) {
    return PageReader(partition, request).read();
}

}  // namespace orrery::partition
