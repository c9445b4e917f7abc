#include "server/cluster/catalog_replica.h"

#include <algorithm>
#include <utility>

#include "base/stopwatch.h"
#include "server/cluster/catalog_update.h"
#include "service/placement.h"
#include "storage/memory/memory_engine.h"

namespace orrery::server {

namespace {

using std::chrono::milliseconds;
using TimePoint = std::chrono::steady_clock::time_point;

// How long a follower waits for news before it asks again.
constexpr milliseconds kPollTime{1000};
// How often to look whether nodes that have not answered are still alive.
constexpr milliseconds kLook{50};
// A node that has asked may not be in the list of nodes yet.
constexpr std::chrono::seconds kNewcomerTime{30};
// Followers further behind get everything.
constexpr std::size_t kRecentMax = 1000;

// A store that lives as long as its engine.
std::shared_ptr<storage::PartitionStore> empty_copy() {
    auto engine = std::make_shared<storage::MemoryEngine>();
    const auto store = engine->open(storage::kCatalogPartition).take();
    return {store.get(), [engine, store](storage::PartitionStore*) {}};
}

}  // namespace

CatalogReplica::CatalogReplica() : store_(empty_copy()), thread_([this] { run(); }) {}

CatalogReplica::~CatalogReplica() {
    follow();
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void CatalogReplica::lead(std::shared_ptr<storage::PartitionStore> partition,
                          std::uint64_t term,
                          std::function<std::vector<std::string>()> followers) {
    const std::lock_guard lock(mutex_);
    store_ = std::move(partition);
    leading_ = true;
    place_ = {.term = term, .commits = 0};
    followers_ = std::move(followers);
    known_followers_.clear();
    recent_.clear();
}

void CatalogReplica::follow() {
    Calls calls;
    {
        const std::lock_guard lock(mutex_);
        if (leading_) stop_leading(calls);
    }
    for (const auto& call : calls)
        call();
}

void CatalogReplica::stop_leading(Calls& calls) {
    leading_ = false;
    place_ = {};
    for (Pending& pending : pending_) {
        calls.emplace_back([done = std::move(pending.done)] {
            done(Error(ErrorCode::kTimeout,
                       "The catalog moved to another node before all nodes knew of the change."));
        });
    }
    pending_.clear();
    for (Poll& poll : polls_) {
        calls.emplace_back([deliver = std::move(poll.deliver)] {
            deliver(service::elsewhere(storage::kCatalogPartition));
        });
    }
    polls_.clear();
}

void CatalogReplica::begin_serving() {
    const std::lock_guard lock(mutex_);
    serving_ = true;
}

bool CatalogReplica::is_leading() const {
    const std::lock_guard lock(mutex_);
    return leading_;
}

CatalogReplica::Place CatalogReplica::place() const {
    const std::lock_guard lock(mutex_);
    return place_;
}

std::shared_ptr<storage::PartitionStore> CatalogReplica::store() const {
    const std::lock_guard lock(mutex_);
    return store_;
}

Result<bool> CatalogReplica::get(std::string_view key, std::string& value) const {
    return store()->get(key, value);
}

Result<std::vector<std::optional<std::string>>> CatalogReplica::get_many(
    std::span<const std::string> keys) const {
    return store()->get_many(keys);
}

std::unique_ptr<storage::Cursor> CatalogReplica::scan(const storage::Range& range,
                                                      storage::Direction direction) const {
    return store()->scan(range, direction);
}

std::shared_ptr<const storage::Reader> CatalogReplica::snapshot() const {
    return store()->snapshot();
}

void CatalogReplica::start_commit(const storage::WriteBatch& batch, Done done) {
    std::shared_ptr<storage::PartitionStore> partition;
    {
        const std::lock_guard lock(mutex_);
        if (leading_) partition = store_;
    }
    if (!partition) return done(service::elsewhere(storage::kCatalogPartition));
    partition->start_commit(batch,
                            [this, operations = encode_operations(batch), done = std::move(done)](
                                Status outcome) mutable {
                                if (!outcome) return done(std::move(outcome));
                                committed(std::move(operations), std::move(done));
                            });
}

void CatalogReplica::committed(std::string operations, Done done) {
    Calls calls;
    {
        const std::lock_guard lock(mutex_);
        ++place_.commits;
        recent_.push_back(std::move(operations));
        if (recent_.size() > kRecentMax) recent_.pop_front();
        pending_.push_back({.number = place_.commits, .done = std::move(done)});
        if (leading_) {
            const TimePoint now = monotonic_now();
            answer_polls(calls, now);
            end_pending(calls, now);
        } else {
            stop_leading(calls);
        }
    }
    changed_.notify_all();
    for (const auto& call : calls)
        call();
}

void CatalogReplica::next_update(const std::string& follower, const Place& from, Deliver deliver) {
    Calls calls;
    {
        const std::lock_guard lock(mutex_);
        if (!leading_ || stopping_) {
            calls.emplace_back(
                [deliver] { deliver(service::elsewhere(storage::kCatalogPartition)); });
        } else {
            const TimePoint now = monotonic_now();
            Follower& known = known_followers_[follower];
            known.place = from;
            known.heard_of = now;
            polls_.push_back({.follower = follower,
                              .from = from,
                              .until = now + kPollTime,
                              .deliver = std::move(deliver)});
            answer_polls(calls, now);
            end_pending(calls, now);
        }
    }
    changed_.notify_all();
    for (const auto& call : calls)
        call();
}

void CatalogReplica::answer_polls(Calls& calls, TimePoint now) {
    polls_.remove_if([&](Poll& poll) {
        if (poll.from == place_ && now < poll.until) return false;
        calls.emplace_back([deliver = std::move(poll.deliver),
                            update = std::make_shared<Result<std::string>>(update_for(poll.from))] {
            deliver(std::move(*update));
        });
        return true;
    });
}

Result<std::string> CatalogReplica::update_for(const Place& from) const {
    CatalogUpdate update{.term = place_.term, .commits = place_.commits};
    const std::uint64_t missing = place_.commits - from.commits;
    if (from.term != place_.term || from.commits > place_.commits || missing > recent_.size()) {
        update.whole = true;
        update.operations = TRY(encode_content(*store_->snapshot()));
        return update.encode();
    }
    for (std::size_t i = recent_.size() - missing; i < recent_.size(); ++i)
        update.operations += recent_[i];
    return update.encode();
}

void CatalogReplica::end_pending(Calls& calls, TimePoint now) {
    while (!pending_.empty() && is_taken_over(pending_.front().number, now)) {
        calls.emplace_back([done = std::move(pending_.front().done)] { done({}); });
        pending_.pop_front();
    }
}

bool CatalogReplica::is_taken_over(std::uint64_t number, TimePoint now) {
    if (!serving_) return true;
    const std::vector<std::string> live = followers_();
    for (const std::string& name : live)
        known_followers_[name].was_live = true;
    return std::all_of(known_followers_.begin(), known_followers_.end(), [&](const auto& entry) {
        const Follower& follower = entry.second;
        if (follower.place.term == place_.term && follower.place.commits >= number) return true;
        const bool is_live = std::find(live.begin(), live.end(), entry.first) != live.end();
        const bool is_newcomer = !follower.was_live && now - follower.heard_of < kNewcomerTime;
        return !is_live && !is_newcomer;
    });
}

void CatalogReplica::run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        const bool busy = !polls_.empty() || !pending_.empty();
        changed_.wait_for(lock, busy ? kLook : kPollTime);
        if (!leading_) continue;
        Calls calls;
        const TimePoint now = monotonic_now();
        answer_polls(calls, now);
        end_pending(calls, now);
        lock.unlock();
        for (const auto& call : calls)
            call();
        lock.lock();
    }
}

Result<bool> CatalogReplica::apply(std::string_view bytes) {
    const CatalogUpdate update = TRY(CatalogUpdate::decode(bytes));
    storage::WriteBatch batch;
    TRY(add_operations(update.operations, batch));
    const auto target = update.whole ? empty_copy() : store();
    {
        const std::lock_guard lock(mutex_);
        if (leading_) return false;
        if (!update.whole && update.term != place_.term) {
            return Error(ErrorCode::kUnavailable, "an update of the catalog is for another copy");
        }
    }
    TRY(target->commit(batch));
    const std::lock_guard lock(mutex_);
    if (leading_) return false;
    store_ = target;
    place_ = {.term = update.term, .commits = update.commits};
    return update.whole || !batch.empty();
}

}  // namespace orrery::server
