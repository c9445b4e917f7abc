#include "storage/rocksdb/rocks_backup.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include <rocksdb/transaction_log.h>

#include "base/thread_pool.h"
#include "storage/rocksdb/backup_files.h"
#include "storage/rocksdb/commit_log.h"
#include "storage/rocksdb/commit_marks.h"
#include "storage/rocksdb/rocks_database.h"
#include "storage/rocksdb/rocks_directory.h"
#include "storage/rocksdb/rocks_status.h"
#include "storage/rocksdb/wal_list.h"

namespace orrery::storage {

namespace {

// Keeps tables and logs from being removed.
class FilesPinned {
public:
    static Result<FilesPinned> pin(rocksdb::DB& db) {
        TRY(to_status(db.DisableFileDeletions(), "keeping the files"));
        return FilesPinned(db);
    }
    FilesPinned(FilesPinned&& other) noexcept : db_(std::exchange(other.db_, nullptr)) {}
    FilesPinned(const FilesPinned&) = delete;
    FilesPinned& operator=(const FilesPinned&) = delete;
    FilesPinned& operator=(FilesPinned&&) = delete;
    ~FilesPinned() {
        if (db_ != nullptr) db_->EnableFileDeletions(false).PermitUncheckedError();
    }

private:
    explicit FilesPinned(rocksdb::DB& db) : db_(&db) {}

    rocksdb::DB* db_;
};

Error log_gap() {
    return Error(ErrorCode::kUnavailable,
                 "commits made during the backup are no longer in the log; try again");
}

// The commits of the log after `from`.
Result<std::unique_ptr<rocksdb::TransactionLogIterator>> commits_after(rocksdb::DB& db,
                                                                       std::uint64_t from) {
    std::unique_ptr<rocksdb::TransactionLogIterator> commits;
    TRY(to_status(db.GetUpdatesSince(from + 1, &commits), "reading the log"));
    TRY(to_status(commits->status(), "reading the log"));
    return commits;
}

// Writes the commits after `from` up to `outcome.reached` into the file. What is no longer in the
// log is left out, but must not go beyond `needed`.
Status write_log(rocksdb::DB& db,
                 std::uint64_t from,
                 std::uint64_t needed,
                 const std::string& path,
                 BackupOutcome& outcome) {
    CommitLogWriter log = TRY(CommitLogWriter::create(path));
    std::uint64_t at = from;
    std::unique_ptr<rocksdb::TransactionLogIterator> commits;
    if (at < outcome.reached.position) commits = TRY(commits_after(db, at));
    for (bool first = true; at < outcome.reached.position; first = false, commits->Next()) {
        if (!commits->Valid()) {
            TRY(to_status(commits->status(), "reading the log"));
            return log_gap();
        }
        const rocksdb::BatchResult commit = commits->GetBatch();
        const rocksdb::WriteBatch& batch = *commit.writeBatchPtr;
        if (first) at = std::max(at, commit.sequence - 1);
        if (first && at > needed) return log_gap();
        if (first) from = at;
        if (commit.sequence != at + 1) return log_gap();
        TRY(log.add(batch));
        at = commit.sequence + batch.Count() - 1;
        const std::optional<std::int64_t> mark = TRY(mark_of(batch));
        outcome.reached.micros = std::max(outcome.reached.micros, mark.value_or(0));
    }
    TRY(log.finish());
    outcome.log_after = from;
    outcome.log_bytes = log.bytes();
    return {};
}

// Logs that come with a backup are listed, as those of any database.
Status list_logs(const std::shared_ptr<rocksdb::FileSystem>& files, const std::string& directory) {
    std::vector<std::string> names;
    TRY(to_status(files->GetChildren(directory, rocksdb::IOOptions(), &names, nullptr),
                  "listing " + directory));
    WalList list(files, directory);
    TRY(list.load());
    for (const std::string& name : names) {
        const std::optional<std::uint64_t> log = log_number(name);
        if (log) TRY(to_status(list.add(*log), "writing to " + directory));
    }
    return {};
}

class Replay {
public:
    Replay(rocksdb::DB& db, std::optional<std::int64_t> until)
        : db_(db), until_(until), reached_{.position = db.GetLatestSequenceNumber()} {}

    // Returns whether the end has not been reached yet.
    Result<bool> apply(const std::string& log_file) {
        CommitLogReader log = TRY(CommitLogReader::open(log_file));
        for (;;) {
            std::optional<rocksdb::WriteBatch> commit = TRY(log.next());
            if (!commit) return true;
            const std::uint64_t first = position_of(*commit);
            const std::uint64_t last = first + commit->Count() - 1;
            const std::optional<std::int64_t> mark = TRY(mark_of(*commit));
            if (until_ && mark && *mark > *until_) return false;
            if (last > reached_.position) TRY(write(*commit, first));
            reached_.micros = mark.value_or(0);
        }
    }

    const LogMoment& reached() const { return reached_; }

private:
    Status write(rocksdb::WriteBatch& commit, std::uint64_t first) {
        if (first != reached_.position + 1) {
            return Error(
                ErrorCode::kCorrupted,
                "the log of commits has a gap after position " + std::to_string(reached_.position));
        }
        rocksdb::WriteOptions options;
        // Nobody uses the database before all of it has been flushed.
        options.disableWAL = true;
        TRY(to_status(db_.Write(options, &commit), "applying the log of commits"));
        reached_.position = db_.GetLatestSequenceNumber();
        return {};
    }

    rocksdb::DB& db_;
    const std::optional<std::int64_t> until_;
    LogMoment reached_;
};

Result<LogMoment> replay(rocksdb::DB& db, const RestoreRequest& request) {
    Replay replay(db, request.until_micros);
    bool more = true;
    for (std::size_t i = 0; i < request.log_files.size() && more; ++i)
        more = TRY(replay.apply(request.log_files[i]));
    if (more && replay.reached().position != request.log_until) {
        return Error(ErrorCode::kCorrupted, "the log of commits is not complete");
    }
    TRY(to_status(db.Flush(rocksdb::FlushOptions()), "writing the database"));
    return replay.reached();
}

}  // namespace

Result<BackupOutcome> back_up_rocks(RocksDatabase& database, const BackupRequest& request) {
    const std::shared_ptr<RocksInstance> instance = database.instance();
    rocksdb::DB& db = *instance->db;
    BackupOutcome outcome;
    TRY(to_status(db.GetDbIdentity(outcome.history), "reading the database's identity"));
    const FilesPinned pinned = TRY(FilesPinned::pin(db));
    const std::uint64_t begun = db.GetLatestSequenceNumber();
    BackupFiles files =
        TRY(BackupFiles::open(request.files_directory, instance->resources->env.get()));
    const BackupFiles::Copy copy = TRY(files.add(db, request.proceed));
    outcome.id = copy.id;
    outcome.bytes = copy.bytes;
    outcome.new_bytes = copy.new_bytes;
    outcome.reached = TRY(database.moment());
    if (database.instance() != instance) {
        return Error(ErrorCode::kUnavailable,
                     "the database has recovered from an error during the backup; try again");
    }
    const bool continues = request.log_after && request.history == outcome.history;
    const std::uint64_t from = continues ? std::min(*request.log_after, begun) : begun;
    TRY(write_log(db, from, begun, request.log_file, outcome));
    return outcome;
}

Status verify_commits(const std::string& log_file, const CommitRange& expected) {
    CommitLogReader log = TRY(CommitLogReader::open(log_file));
    std::uint64_t at = expected.after;
    while (const std::optional<rocksdb::WriteBatch> commit = TRY(log.next())) {
        if (position_of(*commit) != at + 1) {
            return Error(ErrorCode::kCorrupted, log_file + " has a gap");
        }
        at += commit->Count();
    }
    if (at == expected.until) return {};
    return Error(ErrorCode::kCorrupted, log_file + " is not complete");
}

Result<LogMoment> restore_rocks(const RestoreRequest& request, RocksOptions options) {
    const BackupFiles files = TRY(BackupFiles::open(request.files_directory));
    TRY(files.restore(request.id, options.path));
    options.create = false;
    ThreadPool committers(1);
    const auto resources = make_rocks_resources(options, committers);
    TRY(list_logs(rocksdb::FileSystem::Default(), options.path));
    const auto database = TRY(RocksDatabase::open(options, resources));
    return replay(*database->instance()->db, request);
}

}  // namespace orrery::storage
