#include "partition/partition.h"

#include <algorithm>

#include "base/guarded.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/stopwatch.h"
#include "partition/index_tasks.h"

namespace orrery::partition {

namespace {

// Maximum writes per commit: bounds its memory and the wait for one sync.
constexpr std::size_t kTasksPerCommitMax = 512;
constexpr int kBatchesInARow = 16;

// How many bytes of older items a commit counts where a partition key may be nearly full: all are
// counted before the partition has grown by a quarter.
constexpr std::size_t kBytesCountedMin = 64 << 10;
constexpr std::size_t kBytesCountedPerWritten = 4;

Error gone() {
    constexpr std::uint32_t kPartitionKeyRangeGone = 1002;
    return Error(ErrorCode::kGone, "The partition key range is gone.", kPartitionKeyRangeGone);
}

}  // namespace

Result<std::shared_ptr<Partition>> Partition::open(
    const Identity& identity,
    std::shared_ptr<storage::PartitionStore> store,
    const Environment& environment,
    const std::shared_ptr<const index::PathPolicy>& policy,
    std::shared_ptr<throughput::Budget> budget) {
    Contents contents;
    std::string bytes;
    if (TRY(store->get(state_key(), bytes))) contents.state = TRY(State::decode(bytes));
    contents.state.versions_from = TRY(versions_from(*store));
    contents.has_versions = store->scan(all_of('H'), storage::Direction::kForward)->valid();
    contents.deletes = TRY(KeyDeletes::load(*store));
    contents.index = TRY(ItemIndex::open(*store, policy, environment.computed));
    Identity opened = identity;
    opened.etag_origin = contents.state.etag_origin;
    auto partition = std::make_shared<Partition>(
        Opened(), opened, std::move(store), environment, std::move(contents), std::move(budget));
    if (partition->index_view()->wanted->text() != policy->text()) {
        partition->submit(make_adopt_task(policy, [](bool /*adopted*/) {}));
    }
    return partition;
}

Partition::Partition(Opened /*opened*/,
                     const Identity& identity,
                     std::shared_ptr<storage::PartitionStore> store,
                     const Environment& environment,
                     Contents contents,
                     std::shared_ptr<throughput::Budget> budget)
    : identity_(identity),
      store_(std::move(store)),
      environment_(environment),
      ledger_(std::move(budget)),
      state_(contents.state),
      index_(std::move(contents.index)) {
    has_versions_ = state_.versions_from.has_value() || contents.has_versions;
    publish(contents.deletes);
    publish(state_);
}

Result<std::optional<StoredItem>> Partition::read(const ItemRef& ref,
                                                  std::optional<std::int32_t> default_ttl,
                                                  bool may_block) const {
    const Hidden hidden{{default_ttl, default_ttl ? environment_.clock.now_seconds() : 0},
                        deletes()};
    std::optional<StoredItem> item =
        TRY(ref.docnum ? load(*ref.docnum, may_block) : find(ref, may_block));
    if (!item) return item;
    const bool other_key = ref.partition_key && item->partition_key() != *ref.partition_key;
    if (other_key || hidden.hides(item->partition_key(), item->header())) item.reset();
    return item;
}

Result<bool> Partition::get(std::string_view key, std::string& value, bool may_block) const {
    return may_block ? store_->get(key, value) : store_->get_from_memory(key, value);
}

Result<std::optional<StoredItem>> Partition::load(Docnum docnum, bool may_block) const {
    std::string record;
    if (!TRY(get(item_key(docnum), record, may_block))) return std::optional<StoredItem>();
    return std::optional(TRY(StoredItem::decode(docnum, std::move(record))));
}

Result<std::optional<StoredItem>> Partition::find(const ItemRef& ref, bool may_block) const {
    const std::string key = id_key(ref.epk, ref.id);
    const std::uint64_t hash = murmur3_x64_128(key, identity_.storage_id).h1;
    // The item with this number is the wanted one exactly if its names match.
    const auto wanted = [&](const std::optional<StoredItem>& item) {
        return item && item->id() == ref.id && item->epk() == ref.epk;
    };
    if (environment_.docnums != nullptr) {
        if (const auto docnum = environment_.docnums->find(hash)) {
            std::optional<StoredItem> item = TRY(load(*docnum, may_block));
            if (wanted(item)) return item;
        }
    }
    // Without a snapshot, the item may be removed or renamed between the two lookups; then its id
    // entry has changed too, so read it again.
    std::string value;
    for (std::optional<Docnum> last; TRY(get(key, value, may_block));) {
        const Docnum docnum = TRY(docnum_of_value(value));
        std::optional<StoredItem> item = TRY(load(docnum, may_block));
        if (wanted(item)) {
            if (environment_.docnums != nullptr) environment_.docnums->remember(hash, docnum);
            return item;
        }
        if (last == docnum) return Error(ErrorCode::kCorrupted, "an id entry has no item");
        last = docnum;
    }
    return std::optional<StoredItem>();
}

void Partition::submit(std::unique_ptr<WriteTask> task) {
    std::unique_lock lock(mutex_);
    if (closed_) {
        lock.unlock();
        task->complete(gone());
        return;
    }
    queue_.push_back(std::move(task));
    const bool gathered = is_gathering_ && queue_.size() >= gathering_.wanted();
    if (running_ && !gathered) return;
    running_ = true;
    is_gathering_ = false;
    lock.unlock();
    post_run();
}

void Partition::close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    idle_.wait(lock, [this] { return !running_; });
}

Status Partition::check_open() const {
    if (is_closed()) return gone();
    return check_ownership();
}

Status Partition::check_ownership() const {
    if (environment_.may_answer && !environment_.may_answer()) {
        return Error(ErrorCode::kElsewhere, "Another node may serve this partition now.")
            .with_info(std::to_string(identity_.storage_id));
    }
    return {};
}

bool Partition::is_idle() const {
    const std::lock_guard lock(mutex_);
    return !running_;
}

std::vector<std::unique_ptr<WriteTask>> Partition::take_queue() {
    const std::lock_guard lock(mutex_);
    std::vector<std::unique_ptr<WriteTask>> tasks;
    if (queue_.size() <= kTasksPerCommitMax) {
        tasks.swap(queue_);
    } else {
        const auto end = queue_.begin() + kTasksPerCommitMax;
        std::move(queue_.begin(), end, std::back_inserter(tasks));
        queue_.erase(queue_.begin(), end);
    }
    return tasks;
}

void Partition::put_back(std::vector<std::unique_ptr<WriteTask>>& tasks, std::size_t first) {
    if (first == tasks.size()) return;
    const auto begin = tasks.begin() + static_cast<std::ptrdiff_t>(first);
    const std::lock_guard lock(mutex_);
    queue_.insert(
        queue_.begin(), std::make_move_iterator(begin), std::make_move_iterator(tasks.end()));
    tasks.erase(begin, tasks.end());
}

// A batch of writes and its commit.
struct Partition::Flight {
    Flight(std::vector<std::unique_ptr<WriteTask>> taken, ItemWriter own_writer)
        : tasks(std::move(taken)), writer(std::move(own_writer)) {}

    std::vector<std::unique_ptr<WriteTask>> tasks;
    std::vector<Status> outcomes;  // of the tasks, before the commit
    ItemWriter writer;
    Gathering::Time began;  // the commit
    // Set by the thread that has started the commit and by the one that has ended it: the second of
    // them goes on.
    std::atomic<bool> passed = false;
};

void Partition::post_run() {
    environment_.executors.post([self = shared_from_this()] { self->run(); });
}

bool Partition::has_more() {
    const std::lock_guard lock(mutex_);
    if (!queue_.empty()) return true;
    running_ = false;
    idle_.notify_all();
    return false;
}

bool Partition::gathers() {
    const std::lock_guard lock(mutex_);
    const auto until = gathering_.wait_until(monotonic_now(), queue_.size());
    if (!until || closed_) return false;
    is_gathering_ = true;
    environment_.executors.post_at(*until, [weak = weak_from_this(), number = ++gatherings_] {
        if (const auto self = weak.lock()) self->end_gathering(number);
    });
    return true;
}

void Partition::end_gathering(std::uint64_t gathering) {
    {
        const std::lock_guard lock(mutex_);
        if (!is_gathering_ || gathering != gatherings_) return;
        is_gathering_ = false;
        gathering_.failed();
    }
    run();
}

void Partition::run() {
    for (int batches = 0; batches < kBatchesInARow; ++batches) {
        if (gathers()) return;
        bool ended = true;
        static_cast<void>(run_guarded("a batch of writes", [&]() -> Status {
            ended = run_batch();
            return {};
        }));
        if (!ended || !has_more()) return;
    }
    // Requeue, so that a busy partition does not monopolize a thread.
    post_run();
}

bool Partition::run_batch() {
    const auto flight = std::make_shared<Flight>(
        take_queue(),
        ItemWriter(
            identity_, state_, *store_, *index_, environment_.clock.now_seconds(), deletes()));
    if (removal_keepers_ > 0) flight->writer.keep_removals();
    if (keeps_versions_) flight->writer.keep_versions();
    const storage::WriteBatch* batch = nullptr;
    Status prepared = run_guarded("preparing a commit", [&]() -> Status {
        TRY(flight->writer.limit_keys(
            environment_.key_bytes_max,
            kBytesCountedMin + kBytesCountedPerWritten * last_batch_bytes_));
        apply_tasks(*flight);
        batch = &flight->writer.finish();
        last_batch_bytes_ = batch->byte_size();
        return {};
    });
    // Refusals tell what the newest state is, and no commit finds out whether it still is. That the
    // partition is being closed does not matter: others wait for the end of this batch.
    if (prepared && batch->empty()) prepared = check_ownership();
    if (!prepared || batch->empty()) {
        finish(*flight, std::move(prepared));
        return true;
    }
    flight->began = monotonic_now();
    store_->start_commit(*batch, [self = shared_from_this(), flight](Status committed) {
        self->note_commit(*flight);
        self->finish(*flight, std::move(committed));
        if (flight->passed.exchange(true) && self->has_more()) self->post_run();
    });
    return flight->passed.exchange(true);
}

void Partition::apply_tasks(Flight& flight) {
    ItemWriter& writer = flight.writer;
    flight.outcomes.reserve(flight.tasks.size());
    for (const auto& task : flight.tasks) {
        const ItemWriter::Savepoint before = writer.savepoint();
        flight.outcomes.push_back(run_guarded("a write", [&] { return task->apply(writer); }));
        if (!flight.outcomes.back()) {
            writer.rollback_to(before);
            writer.use_identity(nullptr);  // a task that threw may have left its own
        }
        // No write that follows a delete may become visible before the delete does: see view().
        if (writer.deletes() != before.deletes) break;
    }
    put_back(flight.tasks, flight.outcomes.size());
}

void Partition::note_commit(const Flight& flight) {
    const Gathering::Time now = monotonic_now();
    const std::lock_guard lock(mutex_);
    gathering_.committed({.began = flight.began,
                          .ended = now,
                          .writes = flight.tasks.size(),
                          .waiting = queue_.size()},
                         kTasksPerCommitMax);
}

void Partition::finish(Flight& flight, Status committed) {
    if (committed) {
        index_->committed();
        state_ = flight.writer.state();
        publish(flight.writer.deletes());
        publish(state_);
    } else {
        log::error("commit_failed",
                   {{"partition", identity_.storage_id}, {"reason", committed.error().message()}});
        if (committed.error().code() == ErrorCode::kFenced) {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
    }
    for (std::size_t i = 0; i < flight.tasks.size(); ++i) {
        // If the commit failed, changes that tasks saw of each other never happened, so even a
        // refusal (409, 412) may be wrong: all tasks get the commit's error.
        static_cast<void>(run_guarded("completing a write", [&]() -> Status {
            flight.tasks[i]->complete(committed ? std::move(flight.outcomes[i])
                                                : Status(committed.error().copy()));
            return {};
        }));
    }
}

KeyDeletesPtr Partition::deletes() const {
    if (!has_deletes_.load(std::memory_order_acquire)) return nullptr;
    const std::lock_guard lock(deletes_mutex_);
    return deletes_;
}

Partition::View Partition::view(bool may_block) const {
    // A delete takes effect after the commit in which it is the last write, and the items it hides
    // are removed later: if the deletes are the same before and after, the snapshot is consistent
    // with them.
    while (true) {
        View view{.reader = nullptr, .deletes = deletes()};
        view.reader = may_block ? store_->snapshot() : store_->snapshot_in_memory();
        if (view.deletes == deletes()) return view;
    }
}

void Partition::publish(const KeyDeletesPtr& deletes) {
    if (!deletes && !has_deletes_.load(std::memory_order_relaxed)) return;
    const std::lock_guard lock(deletes_mutex_);
    deletes_ = deletes;
    has_deletes_.store(deletes != nullptr, std::memory_order_release);
}

void Partition::publish(const State& state) {
    item_count_.store(state.item_count, std::memory_order_relaxed);
    item_bytes_.store(state.item_bytes, std::memory_order_relaxed);
    attachment_bytes_.store(state.attachment_bytes, std::memory_order_relaxed);
    committed_lsn_.store(state.lsn, std::memory_order_release);
}

}  // namespace orrery::partition
