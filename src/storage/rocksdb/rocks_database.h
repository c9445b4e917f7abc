// One RocksDB, with the parts of the engine contract that it does not provide itself: it is never
// created over the remains of another, a refused commit has no effect, and it recovers from errors
// when the medium does.
//
// Recovery reopens the database from its files, which hold exactly what was acknowledged
// (wal_guard_file_system.h). RocksDB's own DB::Resume() is not used: in 7.8 it keeps writing to the
// failed log when the memtable is empty (RocksDB issue 12998; with assertions on, as in Debian's
// build, that aborts), and hangs if a flush was in progress when the error occurred.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>

#include <rocksdb/db.h>
#include <rocksdb/listener.h>
#include <rocksdb/write_batch.h>

#include "base/read_mostly.h"
#include "base/result.h"
#include "storage/durable_engine.h"
#include "storage/rocksdb/commit_marks.h"
#include "storage/rocksdb/group_commit.h"
#include "storage/rocksdb/rocks_options.h"
#include "storage/rocksdb/wal_continuity.h"

namespace orrery::storage {

// Records that RocksDB has stopped accepting writes, and disables its own recovery. Keeps
// compactions out of the way of requests, and counts them.
class DatabaseListener final : public rocksdb::EventListener {
public:
    explicit DatabaseListener(std::shared_ptr<RocksCounters> counters)
        : counters_(std::move(counters)) {}

    void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;
    void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason reason,
                              rocksdb::Status error,
                              bool* auto_recovery) override;
    void OnCompactionBegin(rocksdb::DB* db, const rocksdb::CompactionJobInfo& job) override;
    void OnCompactionCompleted(rocksdb::DB* db, const rocksdb::CompactionJobInfo& job) override;
    void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& job) override;

    std::atomic<bool> failed{false};
    // An error that reopening does not fix; kUnavailable means none.
    std::atomic<ErrorCode> verdict{ErrorCode::kUnavailable};

private:
    const std::shared_ptr<RocksCounters> counters_;
};

// An open database. Readers hold a reference.
struct RocksInstance {
    explicit RocksInstance(std::shared_ptr<const RocksResources> shared)
        : resources(std::move(shared)),
          listener(std::make_shared<DatabaseListener>(resources->counters)) {}

    std::shared_ptr<const RocksResources> resources;
    std::string path;
    std::shared_ptr<DatabaseListener> listener;
    WalContinuity wal_continuity;
    std::unique_ptr<rocksdb::DB> db;
    // It failed and stays open only for its readers; set by recovery only.
    bool retired = false;
};

class RocksDatabase : public std::enable_shared_from_this<RocksDatabase> {
public:
    // `options.path` and `options.create` refer to this database.
    static Result<std::shared_ptr<RocksDatabase>> open(
        const RocksOptions& options, std::shared_ptr<const RocksResources> resources);

    RocksDatabase(RocksOptions options, std::shared_ptr<RocksInstance> instance);
    RocksDatabase(const RocksDatabase&) = delete;
    RocksDatabase& operator=(const RocksDatabase&) = delete;
    ~RocksDatabase();

    // The instance to read from now. One instance never changes into another.
    std::shared_ptr<RocksInstance> instance() const { return instance_.load(); }

    // Writes and syncs, then calls `done`. Thread-safe; concurrent calls share a log record and its
    // sync. The first caller writes on its own thread; those that come meanwhile do not wait, and
    // their batches are written on a committer's.
    void start_write(rocksdb::WriteBatch batch, GroupCommit::Done done);

    // The same, and waits. An empty batch only waits for the commits before it.
    Status write(rocksdb::WriteBatch batch);

    // Ends commits for good, and all work on the files: commits that have not started fail with
    // kFenced. Readers can go on. Waits for a commit that is being written.
    void close();

    // Writes what is only in the log to a file.
    void flush_in_background();

    // Bytes of memory that a flush would free.
    std::uint64_t memtable_bytes() const;

    // A place in the history of commits: all with an earlier time are before it. Those that come
    // while this is being found out are too, but have later times.
    Result<LogMoment> moment();

private:
    struct Attempt {
        std::uint64_t at_micros;
        ErrorCode code;
        std::string message;
    };

    void lead();
    void write_group(GroupCommit::Group group);
    // Only the leader may call it: RocksDB never has two writers at once.
    Status write_now(rocksdb::WriteBatch& batch);
    Status find_outcome(rocksdb::SequenceNumber committed);
    Error released() const;
    Status recover();
    Status reopen(RocksInstance& failed);

    RocksOptions options_;
    CommitClock clock_;
    GroupCommit commits_waiting_;

    std::atomic<bool> closed_{false};
    // Commits hold it shared, recovery exclusively.
    std::shared_mutex commits_;
    std::optional<Attempt> last_attempt_;

    ReadMostlyPointer<RocksInstance> instance_;
};

}  // namespace orrery::storage
