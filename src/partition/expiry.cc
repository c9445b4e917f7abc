#include "partition/expiry.h"

#include "base/log.h"

namespace orrery::partition {

namespace {

// Log entries visited per round, so that a sweep does not become a full scan.
constexpr std::size_t kLogEntriesVisitedMax = 10'000;

class ExpireTask final : public WriteTask {
public:
    ExpireTask(std::vector<Docnum> items, std::int32_t default_ttl, std::function<void(bool)> done)
        : items_(std::move(items)), default_ttl_(default_ttl), done_(std::move(done)) {}

    Status apply(ItemWriter& writer) override {
        for (const Docnum docnum : items_) {
            TRY(writer.remove_if_hidden(docnum, default_ttl_));
        }
        return {};
    }
    void complete(Status outcome) override {
        if (!outcome) log::warn("expiry_failed", {{"reason", outcome.error().message()}});
        done_(static_cast<bool>(outcome));
    }

private:
    std::vector<Docnum> items_;
    std::int32_t default_ttl_;
    std::function<void(bool)> done_;
};

// Items with their own ttl: expiry keys are sorted by the second of expiry.
Status find_by_own_ttl(const storage::Reader& state,
                       std::int64_t now,
                       std::size_t limit,
                       std::vector<Docnum>& found) {
    const auto cursor = state.scan(all_of('T'), storage::Direction::kForward);
    for (; cursor->valid() && found.size() < limit; cursor->next()) {
        const NumberAndDocnum entry = TRY(numbers_of(cursor->key()));
        if (static_cast<std::int64_t>(entry.number) > now) return {};
        found.push_back(entry.docnum);
    }
    return cursor->status();
}

// Items without their own ttl: the log is in timestamp order, so the scan ends at the first live
// item.
Status find_by_default(const storage::Reader& state,
                       const Expiry& expiry,
                       std::size_t limit,
                       std::vector<Docnum>& found,
                       SweepPosition& position) {
    storage::Range range = all_of('L');
    if (!position.log_from.empty()) range.from = position.log_from;
    const auto cursor = state.scan(range, storage::Direction::kForward);
    const std::size_t already_found = found.size();
    std::string record;
    for (std::size_t visited = 0; cursor->valid(); cursor->next(), ++visited) {
        // Do not move past a found item: if its removal fails, the next round must find it again.
        if (found.size() == already_found) position.log_from = cursor->key();
        if (found.size() == limit || visited == kLogEntriesVisitedMax) return {};
        const Docnum docnum = TRY(docnum_of_key(cursor->key()));
        if (!TRY(state.get(item_key(docnum), record))) continue;
        const StoredItem item = TRY(StoredItem::decode(docnum, std::move(record)));
        if (item.header().timestamp + *expiry.default_ttl > expiry.now) return {};
        if (item.header().ttl == 0) found.push_back(docnum);
    }
    return cursor->status();
}

}  // namespace

Result<std::vector<Docnum>> find_expired(const Partition& partition,
                                         std::int32_t default_ttl,
                                         std::size_t limit,
                                         SweepPosition& position) {
    const auto state = partition.store().snapshot();
    const Expiry expiry{default_ttl, partition.clock().now_seconds()};
    std::vector<Docnum> found;
    TRY(find_by_own_ttl(*state, expiry.now, limit, found));
    if (default_ttl > 0) TRY(find_by_default(*state, expiry, limit, found, position));
    return found;
}

std::unique_ptr<WriteTask> make_expire_task(std::vector<Docnum> items,
                                            std::int32_t default_ttl,
                                            std::function<void(bool)> done) {
    return std::make_unique<ExpireTask>(std::move(items), default_ttl, std::move(done));
}

}  // namespace orrery::partition
