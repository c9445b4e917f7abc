// A file system that keeps refused commits out of the write-ahead log, so that the files on it hold
// exactly what was acknowledged whenever a database is opened from them, in this process or the
// next. RocksDB 7.8 by itself leaves the beginning of a failed record, or all of it, in the log.
// It also keeps the list of the logs that must be there (wal_list.h).

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <rocksdb/file_system.h>

#include "base/result.h"
#include "storage/rocksdb/wal_list.h"

namespace orrery::storage {

// The cuts that could not be made at once; shared with the files, which outlive nothing.
class PendingCuts {
public:
    void add(const std::string& file, std::uint64_t size);
    rocksdb::IOStatus make(rocksdb::FileSystem& file_system);

private:
    std::mutex mutex_;
    std::map<std::string, std::uint64_t> sizes_;
};

class WalGuardFileSystem final : public rocksdb::FileSystemWrapper {
public:
    explicit WalGuardFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target);

    const char* Name() const override { return "OrreryWalGuard"; }

    // Cuts the logs of failed commits back that could not be cut when it happened. Until this
    // succeeds a database must not be opened again.
    rocksdb::IOStatus make_pending_cuts() { return cuts_->make(*target()); }

    // To be called before a database is opened there, and again before it is opened again.
    Status open_wal_list(const std::string& directory);

    rocksdb::IOStatus NewWritableFile(const std::string& name,
                                      const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* file,
                                      rocksdb::IODebugContext* debug) override;

    // A log leaves the list before it leaves the directory. Without a list, which is how a whole
    // database is removed, it just goes.
    rocksdb::IOStatus DeleteFile(const std::string& name,
                                 const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus RenameFile(const std::string& from,
                                 const std::string& to,
                                 const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) override;

    // A lock belongs to the users of this object together: a database that is opened again takes
    // over from the one that failed, which is still there for its readers.
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

    // Null when there is none.
    std::shared_ptr<WalList> wal_list(const std::string& directory);
    rocksdb::IOStatus unlist(const std::string& name);

    const std::shared_ptr<PendingCuts> cuts_ = std::make_shared<PendingCuts>();
    std::mutex mutex_;
    std::map<std::string, SharedLock> locks_;
    std::map<std::string, std::shared_ptr<WalList>> wal_lists_;  // by directory
};

}  // namespace orrery::storage
