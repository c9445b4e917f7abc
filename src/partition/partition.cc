#include "partition/partition.h"

#include <algorithm>

#include "base/hash.h"
#include "base/log.h"
#include "partition/index_tasks.h"

namespace orrery::partition {

namespace {

// Maximum writes per commit: bounds its memory and the wait for one sync.
constexpr std::size_t kTasksPerCommitMax = 512;
constexpr int kBatchesInARow = 16;

Error gone() {
    constexpr std::uint32_t kOwnerResourceNotFound = 1003;
    return Error(ErrorCode::kNotFound, "The container no longer exists.", kOwnerResourceNotFound);
}

Error copy_of(const Error& error) {
    return Error(error.code(), error.message(), error.sub_status());
}

}  // namespace

Result<std::shared_ptr<Partition>> Partition::open(
    const Identity& identity,
    std::shared_ptr<storage::PartitionStore> store,
    const Environment& environment,
    const std::shared_ptr<const index::PathPolicy>& policy) {
    Contents contents;
    std::string bytes;
    if (TRY(store->get(state_key(), bytes))) contents.state = TRY(State::decode(bytes));
    contents.deletes = TRY(KeyDeletes::load(*store));
    contents.index = TRY(ItemIndex::open(*store, policy, environment.computed));
    Identity opened = identity;
    opened.etag_origin = contents.state.etag_origin;
    auto partition = std::make_shared<Partition>(
        Opened(), opened, std::move(store), environment, std::move(contents));
    if (partition->index_view()->wanted->text() != policy->text()) {
        partition->submit(make_adopt_task(policy, [](bool /*adopted*/) {}));
    }
    return partition;
}

Partition::Partition(Opened /*opened*/,
                     const Identity& identity,
                     std::shared_ptr<storage::PartitionStore> store,
                     const Environment& environment,
                     Contents contents)
    : identity_(identity),
      store_(std::move(store)),
      environment_(environment),
      state_(contents.state),
      index_(std::move(contents.index)) {
    publish(contents.deletes);
    publish(state_);
}

Result<std::optional<StoredItem>> Partition::read(const ItemRef& ref,
                                                  std::optional<std::int32_t> default_ttl) const {
    const Hidden hidden{{default_ttl, default_ttl ? environment_.clock.now_seconds() : 0},
                        deletes()};
    std::optional<StoredItem> item = TRY(ref.docnum ? load(*ref.docnum) : find(ref));
    if (!item) return item;
    const bool other_key = ref.partition_key && item->partition_key() != *ref.partition_key;
    if (other_key || hidden.hides(item->partition_key(), item->header())) item.reset();
    return item;
}

Result<std::optional<StoredItem>> Partition::load(Docnum docnum) const {
    std::string record;
    if (!TRY(store_->get(item_key(docnum), record))) return std::optional<StoredItem>();
    return std::optional(TRY(StoredItem::decode(docnum, std::move(record))));
}

Result<std::optional<StoredItem>> Partition::find(const ItemRef& ref) const {
    const std::string key = id_key(ref.epk, ref.id);
    const std::uint64_t hash = murmur3_x64_128(key, identity_.storage_id).h1;
    // The item with this number is the wanted one exactly if its names match.
    const auto wanted = [&](const std::optional<StoredItem>& item) {
        return item && item->id() == ref.id && item->epk() == ref.epk;
    };
    if (environment_.docnums != nullptr) {
        if (const auto docnum = environment_.docnums->find(hash)) {
            std::optional<StoredItem> item = TRY(load(*docnum));
            if (wanted(item)) return item;
        }
    }
    // Without a snapshot, the item may be removed or renamed between the two lookups; then its id
    // entry has changed too, so read it again.
    std::string value;
    for (std::optional<Docnum> last; TRY(store_->get(key, value));) {
        const Docnum docnum = TRY(docnum_of_value(value));
        std::optional<StoredItem> item = TRY(load(docnum));
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
    if (running_) return;
    running_ = true;
    lock.unlock();
    environment_.executors.post([self = shared_from_this()] { self->run(); });
}

void Partition::close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    idle_.wait(lock, [this] { return !running_; });
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

void Partition::run() {
    for (int batches = 0; batches < kBatchesInARow; ++batches) {
        run_batch();
        const std::lock_guard lock(mutex_);
        if (queue_.empty()) {
            running_ = false;
            idle_.notify_all();
            return;
        }
    }
    // Requeue, so that a busy partition does not monopolize a thread.
    environment_.executors.post([self = shared_from_this()] { self->run(); });
}

void Partition::run_batch() {
    std::vector<std::unique_ptr<WriteTask>> tasks = take_queue();
    ItemWriter writer(
        identity_, state_, *store_, *index_, environment_.clock.now_seconds(), deletes());
    std::vector<Status> outcomes;
    outcomes.reserve(tasks.size());
    for (const auto& task : tasks) {
        const ItemWriter::Savepoint before = writer.savepoint();
        outcomes.push_back(task->apply(writer));
        if (!outcomes.back()) writer.rollback_to(before);
        // No write that follows a delete may become visible before the delete does: see view().
        if (writer.deletes() != before.deletes) break;
    }
    put_back(tasks, outcomes.size());
    const storage::WriteBatch& batch = writer.finish();
    const Status committed = batch.empty() ? Status() : store_->commit(batch);
    if (committed) {
        index_->committed();
        state_ = writer.state();
        publish(writer.deletes());
        publish(state_);
    } else {
        log::error("commit_failed",
                   {{"partition", identity_.storage_id}, {"reason", committed.error().message()}});
    }
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        // If the commit failed, changes that tasks saw of each other never happened, so even a
        // refusal (409, 412) may be wrong: all tasks get the commit's error.
        tasks[i]->complete(committed ? std::move(outcomes[i]) : Status(copy_of(committed.error())));
    }
}

KeyDeletesPtr Partition::deletes() const {
    if (!has_deletes_.load(std::memory_order_acquire)) return nullptr;
    const std::lock_guard lock(deletes_mutex_);
    return deletes_;
}

Partition::View Partition::view() const {
    // A delete takes effect after the commit in which it is the last write, and the items it hides
    // are removed later: if the deletes are the same before and after, the snapshot is consistent
    // with them.
    while (true) {
        View view{.reader = nullptr, .deletes = deletes()};
        view.reader = store_->snapshot();
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
    committed_lsn_.store(state.lsn, std::memory_order_release);
}

}  // namespace orrery::partition
