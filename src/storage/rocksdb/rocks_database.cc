#include "storage/rocksdb/rocks_database.h"

#include <chrono>
#include <mutex>
#include <utility>

#include "base/log.h"
#include "storage/rocksdb/rocks_files.h"
#include "storage/rocksdb/rocks_status.h"

namespace orrery::storage {

namespace {

// Shorter than a partition id, so no partition sees this key.
const rocksdb::Slice kProbeKey;

rocksdb::Status write_probe(rocksdb::DB& db, bool to_log) {
    rocksdb::WriteOptions options;
    options.sync = to_log;
    options.disableWAL = !to_log;
    return db.Delete(options, kProbeKey);
}

// RocksDB says "in use" only in the text of an error; asking for the lock says it in a code.
bool is_locked(rocksdb::FileSystem& file_system, const std::string& path) {
    const rocksdb::IOOptions options;
    rocksdb::FileLock* lock = nullptr;
    if (!file_system.LockFile(path + "/LOCK", options, &lock, nullptr).ok()) return true;
    file_system.UnlockFile(lock, options, nullptr).PermitUncheckedError();
    return false;
}

Error open_error(const rocksdb::Status& status, rocksdb::FileSystem& fs, const std::string& path) {
    if (status.IsIOError() && !status.IsIOFenced() && is_locked(fs, path)) {
        return Error(ErrorCode::kUnavailable,
                     "data directory " + path + " is in use by another process");
    }
    // The files were listed a moment ago: one that RocksDB misses is lost.
    if (status.IsPathNotFound() || status.IsNotFound()) {
        return Error(ErrorCode::kCorrupted, "opening " + path + ": " + status.ToString());
    }
    return to_error(status, "opening " + path);
}

}  // namespace

void RocksDatabase::ErrorListener::OnBackgroundError(rocksdb::BackgroundErrorReason /*reason*/,
                                                     rocksdb::Status* error) {
    failed = true;
    // RocksDB calls an I/O error fatal unless the file system marks it retryable. For it as for a
    // full disk the way back is the same and safe: memtables are still whole, and the log and the
    // manifest that failed are replaced.
    if (error->IsIOError() && !error->IsIOFenced() &&
        error->severity() > rocksdb::Status::Severity::kHardError) {
        *error = rocksdb::Status(*error, rocksdb::Status::Severity::kHardError);
    }
}

void RocksDatabase::ErrorListener::OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/,
                                                        rocksdb::Status error,
                                                        bool* auto_recovery) {
    error.PermitUncheckedError();
    *auto_recovery = false;
}

RocksDatabase::RocksDatabase(Private,
                             const RocksOptions& options,
                             std::shared_ptr<const RocksResources> resources)
    : path_(options.path),
      recovery_interval_micros_(static_cast<std::uint64_t>(
          std::chrono::microseconds(options.recovery_interval).count())),
      resources_(std::move(resources)) {}

Result<std::shared_ptr<RocksDatabase>> RocksDatabase::open(
    const RocksOptions& options, std::shared_ptr<const RocksResources> resources) {
    rocksdb::FileSystem& file_system = *resources->file_system;
    const DatabaseFiles files = TRY(inspect_database_files(file_system, options.path));
    if (files == DatabaseFiles::kNone && !options.create) {
        return Error(ErrorCode::kCorrupted, "there is no database in " + options.path);
    }
    if (files == DatabaseFiles::kNone) {
        TRY(to_status(file_system.CreateDirIfMissing(options.path, rocksdb::IOOptions(), nullptr),
                      "creating " + options.path));
    }
    auto made = std::make_shared<RocksDatabase>(Private{}, options, std::move(resources));

    rocksdb::Options database_options = make_database_options(options, *made->resources_);
    database_options.create_if_missing = files == DatabaseFiles::kNone;
    database_options.wal_filter = &made->wal_continuity_;
    database_options.listeners.push_back(made->listener_);
    rocksdb::DB* db = nullptr;
    const rocksdb::Status status = rocksdb::DB::Open(database_options, options.path, &db);
    if (!status.ok()) return open_error(status, file_system, options.path);
    made->db_.reset(db);
    return made;
}

Status RocksDatabase::write(rocksdb::WriteBatch& batch) {
    if (listener_->failed) TRY(recover());
    const std::shared_lock commits(commits_);
    rocksdb::WriteOptions options;
    options.sync = true;
    const rocksdb::Status status = db_->Write(options, &batch);
    if (status.ok()) return {};
    listener_->failed = true;
    return to_error(status, "writing to " + path_);
}

Status RocksDatabase::recover() {
    const std::unique_lock alone(commits_);
    if (!listener_->failed) return {};
    const std::uint64_t now = resources_->env->NowMicros();
    if (last_error_ && now - last_error_->at_micros < recovery_interval_micros_) {
        return Error(last_error_->code, last_error_->message);
    }
    const rocksdb::Status status = resume();
    if (status.ok()) {
        last_error_.reset();
        listener_->failed = false;
        log::info("storage_recovered", {{"path", path_}});
        return {};
    }
    const Error error = to_error(status, "writing to " + path_);
    last_error_ = LastError{.code = error.code(), .message = error.message(), .at_micros = now};
    return Error(error.code(), error.message());
}

// Resume() flushes the memtable and moves on to a new log, which is what makes the failed log
// harmless. With an empty memtable it does neither (RocksDB issue 12998), and a write to the old
// log would fail or, in a build with assertions such as Debian's, abort. So an entry is put past
// the log, a flush is made to fail on it, and then the second Resume() does the whole thing.
rocksdb::Status RocksDatabase::resume() {
    std::uint64_t entries = 0;
    db_->GetIntProperty(rocksdb::DB::Properties::kNumEntriesActiveMemTable, &entries);
    rocksdb::Status status = db_->Resume();
    if (status.ok() && entries == 0) {
        status = write_probe(*db_, false);
        if (status.ok()) status = db_->Flush(rocksdb::FlushOptions());
        if (!status.ok()) status = db_->Resume();
    }
    // Nobody should be told "committed" before the new log has proved itself.
    return status.ok() ? write_probe(*db_, true) : status;
}

}  // namespace orrery::storage
