// A file system that keeps refused commits out of the write-ahead log, so that its files hold
// exactly what was acknowledged whenever a database is opened from them, in this process or the
// next. RocksDB 7.8 by itself leaves part or all of a failed record in the log. It also maintains
// the list of required logs (wal_list.h).

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <rocksdb/file_system.h>

#include "base/metrics.h"
#include "base/result.h"
#include "storage/rocksdb/database_medium.h"
#include "storage/rocksdb/wal_list.h"

namespace orrery::storage {

// Cuts that failed and must be retried; shared with the open files.
class PendingCuts {
public:
    void add(const std::string& file, std::uint64_t size);
    rocksdb::IOStatus make(rocksdb::FileSystem& file_system);

private:
    std::mutex mutex_;
    std::map<std::string, std::uint64_t> sizes_;
};

class WalGuardFileSystem final : public rocksdb::FileSystemWrapper, public DatabaseMedium {
public:
    explicit WalGuardFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target);

    const char* Name() const override { return "OrreryWalGuard"; }

    // Makes the cuts of failed commits that could not be made at the time, and opens the list of
    // logs.
    Result<DatabaseFiles> make_ready(const std::string& directory, bool may_create) override;
    metrics::Times log_syncs() const override { return log_syncs_->times(); }

    // Part of make_ready().
    Status open_wal_list(const std::string& directory);

    rocksdb::IOStatus NewWritableFile(const std::string& name,
                                      const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* file,
                                      rocksdb::IODebugContext* debug) override;

    // A log is unlisted before it is removed. Without a list, as when a whole database is removed,
    // it is just removed.
    rocksdb::IOStatus DeleteFile(const std::string& name,
                                 const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus RenameFile(const std::string& from,
                                 const std::string& to,
                                 const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) override;

    // A lock is shared by all users of this object: a reopened database takes over from the failed
    // one, which stays open for its readers.
    rocksdb::IOStatus LockFile(const std::string& name,
                               const rocksdb::IOOptions& options,
                               rocksdb::FileLock** lock,
                               rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus UnlockFile(rocksdb::FileLock* lock,
                                 const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) override;

private:
    struct SharedLock {
        rocksdb::FileLock* lock;
        int users;
    };

    // Null if there is none.
    std::shared_ptr<WalList> wal_list(const std::string& directory);
    rocksdb::IOStatus unlist(const std::string& name);

    const std::shared_ptr<PendingCuts> cuts_ = std::make_shared<PendingCuts>();
    // Shared with the open files, like the cuts.
    const std::shared_ptr<metrics::Histogram> log_syncs_ = std::make_shared<metrics::Histogram>();
    std::mutex mutex_;
    std::map<std::string, SharedLock> locks_;
    std::map<std::string, std::shared_ptr<WalList>> wal_lists_;  // by directory
};

}  // namespace orrery::storage
