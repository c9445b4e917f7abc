// RocksDB's file system in a Ceph pool. A path is /DIRECTORY/NAME: one level of directories, each a
// RADOS object (rados_directory.h). Files of directories that are mounted here can be changed;
// those of others are only read, as they are at that moment.
//
// Nothing reaches the local disk: every function of rocksdb::FileSystem that makes, changes or
// finds files is overridden.

#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <rocksdb/file_system.h>

#include "storage/rados/rados_directory.h"
#include "storage/rocksdb/database_medium.h"

namespace orrery::storage {

class RadosFileSystem final : public rocksdb::FileSystem, public DatabaseMedium {
public:
    struct Options {
        // How long a removed file can still be read, by those who opened it before.
        std::chrono::seconds trash_time{60};
    };

    RadosFileSystem(std::shared_ptr<RadosPool> pool, const Options& options);
    ~RadosFileSystem() override;

    // At most one of a name at a time. A directory that has just been acquired is ready; it is
    // renewed before every open but the first.
    void mount(std::shared_ptr<RadosDirectory> directory);
    void unmount(const std::string& name);

    Result<DatabaseFiles> make_ready(const std::string& directory, bool may_create) override;
    metrics::Times log_syncs() const override { return log_syncs_->times(); }

    const char* Name() const override { return "OrreryRados"; }

    rocksdb::IOStatus NewSequentialFile(const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                        rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus NewRandomAccessFile(const std::string& path,
                                          const rocksdb::FileOptions& options,
                                          std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                          rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus NewWritableFile(const std::string& path,
                                      const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* file,
                                      rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus ReuseWritableFile(const std::string& path,
                                        const std::string& old_path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSWritableFile>* file,
                                        rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus NewDirectory(const std::string& path,
                                   const rocksdb::IOOptions& options,
                                   std::unique_ptr<rocksdb::FSDirectory>* directory,
                                   rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus FileExists(const std::string& path,
                                 const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus GetChildren(const std::string& path,
                                  const rocksdb::IOOptions& options,
                                  std::vector<std::string>* names,
                                  rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus DeleteFile(const std::string& path,
                                 const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) override;
    // Directories exist from the moment they are acquired until they are destroyed.
    rocksdb::IOStatus CreateDir(const std::string& path,
                                const rocksdb::IOOptions& options,
                                rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus CreateDirIfMissing(const std::string& path,
                                         const rocksdb::IOOptions& options,
                                         rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus DeleteDir(const std::string& path,
                                const rocksdb::IOOptions& options,
                                rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus GetFileSize(const std::string& path,
                                  const rocksdb::IOOptions& options,
                                  std::uint64_t* size,
                                  rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus GetFileModificationTime(const std::string& path,
                                              const rocksdb::IOOptions& options,
                                              std::uint64_t* seconds,
                                              rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus RenameFile(const std::string& from,
                                 const std::string& to,
                                 const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus LinkFile(const std::string& from,
                               const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
    // To own a directory is to have it locked.
    rocksdb::IOStatus LockFile(const std::string& path,
                               const rocksdb::IOOptions& options,
                               rocksdb::FileLock** lock,
                               rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus UnlockFile(rocksdb::FileLock* lock,
                                 const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus GetTestDirectory(const rocksdb::IOOptions& options,
                                       std::string* path,
                                       rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus NewLogger(const std::string& path,
                                const rocksdb::IOOptions& options,
                                std::shared_ptr<rocksdb::Logger>* logger,
                                rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus GetAbsolutePath(const std::string& path,
                                      const rocksdb::IOOptions& options,
                                      std::string* absolute,
                                      rocksdb::IODebugContext* debug) override;
    rocksdb::IOStatus IsDirectory(const std::string& path,
                                  const rocksdb::IOOptions& options,
                                  bool* is_directory,
                                  rocksdb::IODebugContext* debug) override;

    // Appends to logs are kept until they are synced, so RocksDB need not do so as well: that would
    // be a buffer for every open log.
    rocksdb::FileOptions OptimizeForLogWrite(const rocksdb::FileOptions& options,
                                             const rocksdb::DBOptions& database) const override;
    rocksdb::FileOptions OptimizeForManifestWrite(
        const rocksdb::FileOptions& options) const override;

private:
    struct Path {
        std::string directory;
        std::string name;  // empty: the directory itself
    };
    struct Mount {
        std::shared_ptr<RadosDirectory> directory;
        bool ready = false;
    };

    static Path split(const std::string& path);

    // Null if it is not mounted.
    std::shared_ptr<RadosDirectory> mounted(const std::string& name) const;
    // kFenced if it is not mounted.
    Result<std::shared_ptr<RadosDirectory>> writable(const std::string& name) const;
    Result<FileEntry> find(const Path& path) const;
    void empty_trash();

    const std::shared_ptr<RadosPool> pool_;
    const Options options_;
    // Shared with the open files.
    const std::shared_ptr<metrics::Histogram> log_syncs_ = std::make_shared<metrics::Histogram>();

    mutable std::mutex mutex_;  // guards the members below
    std::map<std::string, Mount> mounts_;
    bool stopping_ = false;
    std::condition_variable stop_;
    std::thread trash_collector_;
};

}  // namespace orrery::storage
