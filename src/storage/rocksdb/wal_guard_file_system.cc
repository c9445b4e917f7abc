#include "storage/rocksdb/wal_guard_file_system.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/stopwatch.h"
#include "storage/rocksdb/rocks_status.h"

namespace orrery::storage {

namespace {

// A write-ahead log. Everything after the last successful sync belongs to one unacknowledged commit
// group, so if an append or sync fails, the file is cut back to that point and abandoned: further
// appends are discarded and syncs always fail, so that nothing can be acknowledged through it.
class WalGuardFile final : public rocksdb::FSWritableFileOwnerWrapper {
public:
    WalGuardFile(std::unique_ptr<rocksdb::FSWritableFile> target,
                 std::string name,
                 std::shared_ptr<PendingCuts> cuts,
                 std::shared_ptr<metrics::Histogram> syncs)
        : FSWritableFileOwnerWrapper(std::move(target)),
          name_(std::move(name)),
          cuts_(std::move(cuts)),
          syncs_(std::move(syncs)) {}

    rocksdb::IOStatus Append(const rocksdb::Slice& data,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
        if (abandoned_) return rocksdb::IOStatus::OK();
        return after_append(target()->Append(data, options, debug), data.size());
    }

    rocksdb::IOStatus Append(const rocksdb::Slice& data,
                             const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo& verification,
                             rocksdb::IODebugContext* debug) override {
        if (abandoned_) return rocksdb::IOStatus::OK();
        return after_append(target()->Append(data, options, verification, debug), data.size());
    }

    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
        if (abandoned_) return refusal();
        const Timer timer;
        rocksdb::IOStatus status = target()->Sync(options, debug);
        syncs_->add(timer.elapsed());
        return after_sync(std::move(status));
    }

    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* debug) override {
        if (abandoned_) return refusal();
        return after_sync(target()->Fsync(options, debug));
    }

private:
    static rocksdb::IOStatus refusal() {
        return rocksdb::IOStatus::IOError("this log was abandoned after a failed write");
    }

    rocksdb::IOStatus after_append(rocksdb::IOStatus status, std::size_t size) {
        if (status.ok()) {
            size_ += size;
        } else {
            abandon(status);
        }
        return status;
    }

    rocksdb::IOStatus after_sync(rocksdb::IOStatus status) {
        if (status.ok()) {
            synced_size_ = size_;
        } else {
            abandon(status);
        }
        return status;
    }

    void abandon(const rocksdb::IOStatus& why) {
        abandoned_ = true;
        // A fenced file belongs to another node now.
        if (why.IsIOFenced()) return;
        const rocksdb::IOOptions options;
        rocksdb::IOStatus cut = target()->Truncate(synced_size_, options, nullptr);
        if (cut.ok()) cut = target()->Sync(options, nullptr);
        if (!cut.ok()) cuts_->add(name_, synced_size_);
    }

    const std::string name_;
    const std::shared_ptr<PendingCuts> cuts_;
    const std::shared_ptr<metrics::Histogram> syncs_;
    std::uint64_t size_ = 0;
    std::uint64_t synced_size_ = 0;
    bool abandoned_ = false;
};

rocksdb::IOStatus cut(rocksdb::FileSystem& file_system, const std::string& name, std::uint64_t to) {
    const rocksdb::IOOptions options;
    std::unique_ptr<rocksdb::FSWritableFile> file;
    rocksdb::IOStatus status =
        file_system.ReopenWritableFile(name, rocksdb::FileOptions(), &file, nullptr);
    if (status.ok()) status = file->Truncate(to, options, nullptr);
    if (status.ok()) status = file->Sync(options, nullptr);
    if (status.ok()) status = file->Close(options, nullptr);
    return status;
}

struct FilePath {
    std::string directory;
    std::string_view name;
};

// The inverse of file_in().
FilePath split_path(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return {.directory = ".", .name = path};
    return {.directory = std::string(path.substr(0, slash)), .name = path.substr(slash + 1)};
}

}  // namespace

void PendingCuts::add(const std::string& file, std::uint64_t size) {
    const std::lock_guard lock(mutex_);
    sizes_[file] = size;
}

rocksdb::IOStatus PendingCuts::make(rocksdb::FileSystem& file_system) {
    const std::lock_guard lock(mutex_);
    while (!sizes_.empty()) {
        const auto& [name, size] = *sizes_.begin();
        rocksdb::IOStatus status = cut(file_system, name, size);
        if (!status.ok()) return status;
        sizes_.erase(sizes_.begin());
    }
    return rocksdb::IOStatus::OK();
}

WalGuardFileSystem::WalGuardFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target)
    : FileSystemWrapper(target) {}

Result<DatabaseFiles> WalGuardFileSystem::make_ready(const std::string& directory,
                                                     bool may_create) {
    TRY(to_status(cuts_->make(*target()), "writing to " + directory));
    const DatabaseFiles files = TRY(inspect_database_files(*this, directory));
    if (files == DatabaseFiles::kNone) {
        if (!may_create) return files;
        TRY(to_status(CreateDirIfMissing(directory, rocksdb::IOOptions(), nullptr),
                      "creating " + directory));
    }
    TRY(open_wal_list(directory));
    return files;
}

Status WalGuardFileSystem::open_wal_list(const std::string& directory) {
    std::shared_ptr<WalList> list;
    {
        const std::lock_guard guard(mutex_);
        std::shared_ptr<WalList>& kept = wal_lists_[directory];
        // Keep the existing list: the failed instance may still be removing a log.
        if (!kept) kept = std::make_shared<WalList>(target_, directory);
        list = kept;
    }
    return list->load();
}

std::shared_ptr<WalList> WalGuardFileSystem::wal_list(const std::string& directory) {
    const std::lock_guard guard(mutex_);
    const auto found = wal_lists_.find(directory);
    return found == wal_lists_.end() ? nullptr : found->second;
}

rocksdb::IOStatus WalGuardFileSystem::NewWritableFile(
    const std::string& name,
    const rocksdb::FileOptions& options,
    std::unique_ptr<rocksdb::FSWritableFile>* file,
    rocksdb::IODebugContext* debug) {
    const FilePath path = split_path(name);
    const std::optional<std::uint64_t> log = log_number(path.name);
    if (!log) return target()->NewWritableFile(name, options, file, debug);

    const std::shared_ptr<WalList> list = wal_list(path.directory);
    if (!list) return rocksdb::IOStatus::InvalidArgument("there is no list of logs for " + name);
    std::unique_ptr<rocksdb::FSWritableFile> made;
    rocksdb::IOStatus status = target()->NewWritableFile(name, options, &made, debug);
    if (status.ok()) status = list->add(*log);
    if (status.ok()) {
        *file = std::make_unique<WalGuardFile>(std::move(made), name, cuts_, log_syncs_);
    }
    return status;
}

rocksdb::IOStatus WalGuardFileSystem::DeleteFile(const std::string& name,
                                                 const rocksdb::IOOptions& options,
                                                 rocksdb::IODebugContext* debug) {
    rocksdb::IOStatus status = unlist(name);
    if (status.IsNoSpace()) {
        // The log may be what fills the disk. Emptying it is safe: a listed empty log is harmless.
        status = cut(*target(), name, 0);
        if (status.ok()) status = unlist(name);
    }
    if (!status.ok()) return status;
    return target()->DeleteFile(name, options, debug);
}

rocksdb::IOStatus WalGuardFileSystem::RenameFile(const std::string& from,
                                                 const std::string& to,
                                                 const rocksdb::IOOptions& options,
                                                 rocksdb::IODebugContext* debug) {
    rocksdb::IOStatus status = unlist(from);
    if (!status.ok()) return status;
    return target()->RenameFile(from, to, options, debug);
}

rocksdb::IOStatus WalGuardFileSystem::unlist(const std::string& name) {
    const FilePath path = split_path(name);
    const std::optional<std::uint64_t> log = log_number(path.name);
    if (log) {
        const std::shared_ptr<WalList> list = wal_list(path.directory);
        if (list) return list->remove_up_to(*log);
    } else if (path.name == kWalListName) {
        const std::lock_guard guard(mutex_);
        wal_lists_.erase(path.directory);
    }
    return rocksdb::IOStatus::OK();
}

rocksdb::IOStatus WalGuardFileSystem::LockFile(const std::string& name,
                                               const rocksdb::IOOptions& options,
                                               rocksdb::FileLock** lock,
                                               rocksdb::IODebugContext* debug) {
    const std::lock_guard guard(mutex_);
    const auto found = locks_.find(name);
    if (found != locks_.end()) {
        ++found->second.users;
        *lock = found->second.lock;
        return rocksdb::IOStatus::OK();
    }
    rocksdb::IOStatus status = target()->LockFile(name, options, lock, debug);
    if (status.ok()) locks_[name] = {.lock = *lock, .users = 1};
    return status;
}

rocksdb::IOStatus WalGuardFileSystem::UnlockFile(rocksdb::FileLock* lock,
                                                 const rocksdb::IOOptions& options,
                                                 rocksdb::IODebugContext* debug) {
    const std::lock_guard guard(mutex_);
    const auto found = std::find_if(locks_.begin(), locks_.end(), [lock](const auto& entry) {
        return entry.second.lock == lock;
    });
    CHECK(found != locks_.end());
    if (--found->second.users > 0) return rocksdb::IOStatus::OK();
    locks_.erase(found);
    return target()->UnlockFile(lock, options, debug);
}

}  // namespace orrery::storage
