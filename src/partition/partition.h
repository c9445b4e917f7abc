// One physical partition: owns its items, their log and counters; the unit of write atomicity.
// Reads run on any thread against the newest committed state and never wait. Writes queue up and
// are run by one executor at a time, many per durable commit. No thread waits for the commit.

#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "partition/docnum_cache.h"
#include "partition/gathering.h"
#include "partition/identity.h"
#include "partition/item_record.h"
#include "partition/item_writer.h"
#include "partition/key_deletes.h"
#include "storage/engine.h"
#include "throughput/ledger.h"

namespace orrery::partition {

// One write: the change, and what to do with its outcome.
class WriteTask {
public:
    WriteTask() = default;
    WriteTask(const WriteTask&) = delete;
    WriteTask& operator=(const WriteTask&) = delete;
    virtual ~WriteTask() = default;

    // Runs on the executor and sees all writes before it. On failure its changes are rolled back.
    virtual Status apply(ItemWriter& writer) = 0;

    // Called once, on an executor's or the storage engine's thread. Success means that apply()
    // succeeded and its changes are on stable storage. Must not block.
    virtual void complete(Status outcome) = 0;
};

class Partition : public std::enable_shared_from_this<Partition> {
    struct Opened {};  // restricts construction to open()

public:
    // Dependencies; all must outlive the partition.
    struct Environment {
        ThreadPool& executors;
        const Clock& clock;
        DocnumCache* docnums = nullptr;  // without it every point read needs two lookups
        ComputedFactory computed = nullptr;
        // Whether this node may still answer from what it has read; null if nobody else can write.
        std::function<bool()> may_answer = nullptr;
        // What the items of one partition key may take.
        std::uint64_t key_bytes_max = kNoKeyLimit;
    };

    // `policy` is the container's. A partition indexed by another one starts to change. Without a
    // budget it may use any number of request units.
    static Result<std::shared_ptr<Partition>> open(
        const Identity& identity,
        std::shared_ptr<storage::PartitionStore> store,
        const Environment& environment,
        const std::shared_ptr<const index::PathPolicy>& policy,
        std::shared_ptr<throughput::Budget> budget = nullptr);

    // What open() reads from the store.
    struct Contents {
        State state;
        KeyDeletesPtr deletes;
        std::unique_ptr<ItemIndex> index;
        bool has_versions = false;
    };
    Partition(Opened opened,
              const Identity& identity,
              std::shared_ptr<storage::PartitionStore> store,
              const Environment& environment,
              Contents contents,
              std::shared_ptr<throughput::Budget> budget);

    const Identity& identity() const { return identity_; }
    // Of request units.
    throughput::Ledger& ledger() const { return ledger_; }

    // The LSN of the newest committed change. Never decreases.
    Lsn lsn() const { return committed_lsn_.load(std::memory_order_acquire); }
    std::uint64_t item_count() const { return item_count_.load(std::memory_order_relaxed); }
    std::uint64_t item_bytes() const { return item_bytes_.load(std::memory_order_relaxed); }

    // Of items, their attachments and the media of these: what decides about splits.
    std::uint64_t stored_bytes() const {
        return item_bytes() + attachment_bytes_.load(std::memory_order_relaxed);
    }

    // The live item, or nullopt. Where it may not block: kWouldBlock if it is not in memory.
    Result<std::optional<StoredItem>> read(const ItemRef& ref,
                                           std::optional<std::int32_t> default_ttl,
                                           bool may_block = true) const;

    // The index as of the newest commit.
    std::shared_ptr<const IndexView> index_view() const { return index_->view(); }
    bool index_is_changing() const { return index_->is_changing(); }

    const storage::PartitionStore& store() const { return *store_; }

    // The deletes of partition keys in force. Get them before reading the store: the items they
    // hide, and then the deletes themselves, may be removed at any time.
    KeyDeletesPtr deletes() const;
    // The newest committed state and the deletes consistent with it.
    struct View {
        std::shared_ptr<const storage::Reader> reader;
        KeyDeletesPtr deletes;
    };
    // If it may not block, reading fails with kWouldBlock where the data is not in memory.
    View view(bool may_block = true) const;
    const Clock& clock() const { return environment_.clock; }

    // Thread-safe; the task is always completed.
    void submit(std::unique_ptr<WriteTask> task);

    // Refuses further writes (410/1002) and returns once pending ones are done. For a partition
    // that is being dropped.
    void close();
    // 410/1002 if the partition is closed, kElsewhere if another node may own it now. What was read
    // before was the newest state: others take over only after that.
    Status check_open() const;
    // The same, but closing does not matter.
    Status check_ownership() const;
    // Refuses writes, because of close() or because another node owns the partition now.
    bool is_closed() const { return closed_.load(std::memory_order_acquire); }
    // No write is queued or being committed.
    bool is_idle() const;

    // Whether versions that are replaced or removed are kept, for change feeds.
    void keep_versions(bool wanted) {
        keeps_versions_ = wanted;
        if (wanted) has_versions_ = true;
    }
    bool keeps_versions() const { return keeps_versions_; }
    // Whether there may be such versions, kept now or before. False once they are known to be gone.
    bool has_versions() const { return has_versions_; }
    void forget_versions() { has_versions_ = keeps_versions_.load(); }

    // While anybody wants it, removals stay in the log however old they are.
    void keep_removals(bool wanted) { removal_keepers_ += wanted ? 1 : -1; }

    // For finding partitions that nobody uses: returns whether it was used since the last call.
    void mark_used() const {
        if (!used_.load(std::memory_order_relaxed)) used_.store(true, std::memory_order_relaxed);
    }
    bool take_used() const { return used_.exchange(false, std::memory_order_relaxed); }

private:
    Result<bool> get(std::string_view key, std::string& value, bool may_block) const;
    Result<std::optional<StoredItem>> load(Docnum docnum, bool may_block) const;
    Result<std::optional<StoredItem>> find(const ItemRef& ref, bool may_block) const;

    struct Flight;
    void run();
    // Starts the commit of one batch of writes. True if it has ended already; otherwise the thread
    // that ends it goes on with the next.
    bool run_batch();
    void apply_tasks(Flight& flight);
    void note_commit(const Flight& flight);
    void finish(Flight& flight, Status committed);
    // Whether there are more writes to run. If not, the next submit() starts again.
    bool has_more();
    void post_run();
    // Whether more writes should come before the next batch: run() then comes when they have, or at
    // a time.
    bool gathers();
    void end_gathering(std::uint64_t gathering);
    std::vector<std::unique_ptr<WriteTask>> take_queue();
    // Requeues the tasks from `first` on, to run next.
    void put_back(std::vector<std::unique_ptr<WriteTask>>& tasks, std::size_t first);
    void publish(const State& state);
    void publish(const KeyDeletesPtr& deletes);

    const Identity identity_;
    const std::shared_ptr<storage::PartitionStore> store_;
    const Environment environment_;
    mutable throughput::Ledger ledger_;

    std::atomic<Lsn> committed_lsn_;
    std::atomic<std::uint64_t> item_count_;
    std::atomic<std::uint64_t> item_bytes_;
    std::atomic<std::uint64_t> attachment_bytes_;

    std::atomic<bool> has_deletes_ = false;
    mutable std::mutex deletes_mutex_;
    KeyDeletesPtr deletes_;

    std::atomic<int> removal_keepers_ = 0;
    std::atomic<bool> keeps_versions_ = false;
    std::atomic<bool> has_versions_ = false;
    mutable std::atomic<bool> used_ = true;
    std::atomic<bool> closed_ = false;  // changed with the mutex held

    mutable std::mutex mutex_;
    std::condition_variable idle_;
    std::vector<std::unique_ptr<WriteTask>> queue_;
    bool running_ = false;
    Gathering gathering_;
    bool is_gathering_ = false;
    std::uint64_t gatherings_ = 0;  // so far

    // Used by one batch at a time, except for the index's view.
    State state_;
    std::size_t last_batch_bytes_ = 0;
    const std::unique_ptr<ItemIndex> index_;
};

}  // namespace orrery::partition
