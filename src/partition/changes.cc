#include "partition/changes.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "partition/log_entries.h"

namespace orrery::partition {

namespace {

// Changes visited per page: bounds the time when few of them are in scope.
constexpr std::size_t kChangesVisitedMax = 20'000;
// A scope with at most this many items is read through its members if the log is longer.
constexpr std::size_t kMembersMax = 2'000;
// The timestamps of a script's writes are those of its start, so the log may be out of order by the
// time a script may take.
constexpr std::int64_t kDisorderSecondsMax = 10;

class ChangesReader {
public:
    ChangesReader(const Partition& partition,
                  Partition::View view,
                  const ChangesRequest& request,
                  const ChangePrinter& print)
        : request_(request),
          print_(print),
          open_(partition.check_open()),
          state_(std::move(view.reader)),
          hidden_{{request.default_ttl, partition.clock().now_seconds()}, std::move(view.deletes)},
          items_(*state_) {}

    Result<ChangesPage> read() {
        TRY(std::move(open_));
        std::string counters;
        if (TRY(state_->get(state_key(), counters))) page_.lsn = TRY(State::decode(counters)).lsn;
        page_.until = request_.after;
        if (request_.after == 0 && request_.since) page_.until = TRY(lsn_before(*request_.since));
        if (request_.all_versions) TRY(check_kept());
        const auto entries = TRY(entries_after(page_.until));
        reserve_items();
        while (const auto entry = TRY(entries->next())) {
            if (entry->place.lsn != transaction_ && !begin_transaction(entry->place.lsn)) {
                return std::move(page_);
            }
            ++visited_;
            TRY(entry->letter == 'V' ? add_removal(*entry) : add_version(*entry));
        }
        if (!end_transaction()) return std::move(page_);
        page_.until = std::max(page_.until, page_.lsn);
        page_.complete = true;
        return std::move(page_);
    }

private:
    // Large pages are not moved as they grow.
    void reserve_items() {
        constexpr std::size_t kItemBytes = 1024;
        const auto behind = static_cast<std::size_t>(std::max<Lsn>(page_.lsn - page_.until, 0));
        const std::size_t items = std::min({behind, request_.items_max, kChangesVisitedMax});
        constexpr std::size_t kEnvelopeBytes = 4096;  // of the response, and of the item too many
        page_.items.reserve(std::min(items * kItemBytes, request_.bytes_max) + kEnvelopeBytes);
    }

    // Returns false if the page is full.
    bool begin_transaction(Lsn lsn) {
        if (!end_transaction() || has_taken_long() || is_full()) return false;
        transaction_ = lsn;
        count_before_ = page_.count;
        bytes_before_ = page_.items.size();
        return true;
    }

    // Returns false if the transaction belongs to the next page.
    bool end_transaction() {
        const bool too_much =
            page_.count > request_.items_max || page_.items.size() > request_.bytes_max;
        const bool first = count_before_ == 0;
        if (too_much && !(first && request_.at_least_one) && page_.count > count_before_) {
            page_.count = count_before_;
            page_.items.resize(bytes_before_);
            return false;
        }
        page_.until = std::max(page_.until, transaction_);
        return true;
    }

    bool has_taken_long() {
        if (visited_ >= kChangesVisitedMax) return true;
        if (visited_ < next_look_) return false;
        constexpr std::size_t kChangesPerLook = 64;
        next_look_ = visited_ + kChangesPerLook;
        return visited_ > 0 && monotonic_now() > request_.deadline;
    }

    bool is_full() const {
        return page_.count >= request_.items_max || page_.items.size() >= request_.bytes_max;
    }

    Status add_version(const LogItem& entry) {
        const LogPlace& place = entry.place;
        LogEntry change;
        std::string_view record;
        if (entry.letter == 'H') {
            const Version version = TRY(Version::decode(entry.value));
            change = version.entry;
            record = version.record;
        } else {
            record = entry.record.empty() ? TRY(items_.load(place.docnum)) : entry.record;
            if (request_.all_versions) change = TRY(LogEntry::decode(entry.value));
        }
        const ItemView item = TRY(ItemView::decode(place.docnum, record));
        const bool wanted =
            request_.scope.contains(item.partition_key, item.epk) &&
            (request_.all_versions || !hidden_.hides(item.partition_key, item.header)) &&
            (!request_.since || item.header.timestamp >= *request_.since);
        if (!wanted) return {};
        const auto previous = TRY(kept_version(change.previous, place));
        return print({.place = place,
                      .kind = change.kind,
                      .item = &item,
                      .previous_lsn = change.previous,
                      .previous = previous ? &*previous : nullptr,
                      .removal = nullptr});
    }

    Status add_removal(const LogItem& entry) {
        const Removal removal = TRY(Removal::decode(entry.value));
        // The items of a deleted partition key have removals of their own.
        if (removal.kind == ChangeKind::kKeyDelete) return {};
        if (!request_.scope.contains(removal.partition_key, removal.epk)) return {};
        const auto previous = TRY(kept_version(removal.previous, entry.place));
        return print({.place = entry.place,
                      .kind = removal.kind,
                      .item = nullptr,
                      .previous_lsn = removal.previous,
                      .previous = previous ? &*previous : nullptr,
                      .removal = &removal});
    }

    Status print(const Change& change) {
        ++page_.items_read;
        if (change.item != nullptr) page_.bytes_read += change.item->json.size();
        if (change.previous != nullptr) page_.bytes_read += change.previous->json.size();
        const std::size_t before = page_.items.size();
        if (page_.count > 0) page_.items += ',';
        const std::size_t printed = TRY(print_(change, page_.items));
        page_.count += printed;
        if (printed == 0) page_.items.resize(before);
        return {};
    }

    // The version with that LSN, before a change of the item, if it is still kept.
    Result<std::optional<ItemView>> kept_version(Lsn lsn, const LogPlace& changed) {
        if (lsn == 0) return std::optional<ItemView>();
        const LogPlace until = lsn == changed.lsn ? changed : LogPlace{.lsn = lsn + 1};
        const auto cursor =
            state_->scan({.from = version_key({.lsn = lsn}), .until = version_key(until)},
                         storage::Direction::kForward);
        previous_.clear();
        // Of several versions in one transaction, the last is the one before.
        for (; cursor->valid(); cursor->next()) {
            if (TRY(place_of(cursor->key())).docnum == changed.docnum) previous_ = cursor->value();
        }
        TRY(cursor->status());
        if (previous_.empty()) return std::optional<ItemView>();
        const Version version = TRY(Version::decode(previous_));
        return std::optional(TRY(ItemView::decode(changed.docnum, version.record)));
    }

    Status check_kept() {
        const auto from = TRY(versions_from(*state_));
        if (request_.after >= from.value_or(page_.lsn)) return {};
        return Error(ErrorCode::kBadRequest,
                     "You must read the change feed from within the retention period. The "
                     "position is older than the container keeps all versions and deletes.");
    }

    Result<std::unique_ptr<LogItems>> entries_after(Lsn after) {
        if (request_.all_versions) return read_log(*state_, "LHV", after);
        const auto behind = static_cast<std::uint64_t>(std::max<Lsn>(page_.lsn - after, 0));
        if (behind > kMembersMax) {
            if (auto members = TRY(members_changed_after(after))) {
                return read_places(*std::move(members));
            }
        }
        const Lsn unordered = TRY(unordered_until(*state_));
        return read_latest(*state_, {.after = after, .unordered = unordered}, items_);
    }

    // The places of all items of the scope; nullopt if there are too many for that.
    Result<std::optional<std::vector<LogPlace>>> members_changed_after(Lsn after) {
        const FeedScope& scope = request_.scope;
        if (!scope.partition_key && !scope.epks) return std::optional<std::vector<LogPlace>>();
        const storage::Range range =
            scope.partition_key ? members_of(scope.partition_key->epk) : members_of(*scope.epks);
        std::vector<Docnum> numbers;
        const auto cursor = state_->scan(range, storage::Direction::kForward);
        for (; cursor->valid(); cursor->next()) {
            if (numbers.size() == kMembersMax) return std::optional<std::vector<LogPlace>>();
            numbers.push_back(TRY(docnum_of_key(cursor->key())));
        }
        TRY(cursor->status());
        std::vector<LogPlace> places;
        for (const Docnum docnum : numbers) {
            const std::string_view record = TRY(items_.load(docnum));
            const ItemHeader header = TRY(ItemView::decode(docnum, record)).header;
            if (header.lsn <= after) continue;
            places.push_back({.lsn = header.lsn, .ordinal = header.ordinal, .docnum = docnum});
        }
        return std::optional(std::move(places));
    }

    // A position before every change that is not older than `since`, by binary search. What the
    // search may not skip, because the log is not in order there, is left to the filter.
    Result<Lsn> lsn_before(std::int64_t since) {
        const std::int64_t wanted = since - kDisorderSecondsMax;
        const Lsn unordered = TRY(unordered_until(*state_));
        Lsn low = unordered;
        Lsn high = page_.lsn;
        while (low < high) {
            const Lsn middle = low + (high - low) / 2;
            const auto entry = TRY(read_log(*state_, "L", middle)->next());
            if (entry && TRY(timestamp_of(entry->place)) < wanted) {
                low = entry->place.lsn;
            } else {
                high = middle;
            }
        }
        // Whatever is before an ordered change is not newer.
        return low > unordered ? low : 0;
    }

    Result<std::int64_t> timestamp_of(const LogPlace& place) {
        const std::string_view record = TRY(items_.load(place.docnum));
        return TRY(ItemView::decode(place.docnum, record)).header.timestamp;
    }

    const ChangesRequest& request_;
    const ChangePrinter& print_;
    Status open_;
    std::shared_ptr<const storage::Reader> state_;
    const Hidden hidden_;
    ItemLoader items_;
    ChangesPage page_;
    std::string previous_;
    std::size_t visited_ = 0;
    std::size_t next_look_ = 0;  // at the clock
    Lsn transaction_ = 0;        // the one being read
    std::size_t count_before_ = 0;
    std::size_t bytes_before_ = 0;
};

}  // namespace

Result<ChangesPage> read_changes(const Partition& partition,
                                 const ChangesRequest& request,
                                 const ChangePrinter& print) {
    return ChangesReader(partition, partition.view(), request, print).read();
}

}  // namespace orrery::partition
