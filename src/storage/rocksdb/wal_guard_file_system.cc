#include "storage/rocksdb/wal_guard_file_system.h"

#include <cstdint>
#include <string>
#include <utility>

namespace orrery::storage {

namespace {

// A write-ahead log. Everything behind the last successful sync belongs to one commit group that
// nobody has been told about, so when an append or a sync fails the file is cut back to there and
// the log is given up: what RocksDB still appends is thrown away and a sync always fails, so that
// nothing can be acknowledged through it. RocksDB then moves on to a new log.
class WalGuardFile final : public rocksdb::FSWritableFileOwnerWrapper {
public:
    explicit WalGuardFile(std::unique_ptr<rocksdb::FSWritableFile> target)
        : FSWritableFileOwnerWrapper(std::move(target)) {}

    rocksdb::IOStatus Append(const rocksdb::Slice& data,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
        if (given_up_) return rocksdb::IOStatus::OK();
        return after_append(target()->Append(data, options, debug), data.size());
    }

    rocksdb::IOStatus Append(const rocksdb::Slice& data,
                             const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo& verification,
                             rocksdb::IODebugContext* debug) override {
        if (given_up_) return rocksdb::IOStatus::OK();
        return after_append(target()->Append(data, options, verification, debug), data.size());
    }

    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
        if (given_up_) return refusal();
        return after_sync(target()->Sync(options, debug));
    }

    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* debug) override {
        if (given_up_) return refusal();
        return after_sync(target()->Fsync(options, debug));
    }

private:
    static rocksdb::IOStatus refusal() {
        return rocksdb::IOStatus::IOError("this log was given up after a failed write");
    }

    rocksdb::IOStatus after_append(rocksdb::IOStatus status, std::size_t size) {
        if (status.ok()) {
            size_ += size;
        } else {
            give_up(status);
        }
        return status;
    }

    rocksdb::IOStatus after_sync(rocksdb::IOStatus status) {
        if (status.ok()) {
            synced_size_ = size_;
        } else {
            give_up(status);
        }
        return status;
    }

    void give_up(const rocksdb::IOStatus& why) {
        given_up_ = true;
        // A fenced file belongs to somebody else now.
        if (why.IsIOFenced()) return;
        // If this fails too, an incomplete record stays at the end of the file, where recovery
        // takes it for what it is.
        const rocksdb::IOOptions options;
        target()->Truncate(synced_size_, options, nullptr).PermitUncheckedError();
        target()->Sync(options, nullptr).PermitUncheckedError();
    }

    std::uint64_t size_ = 0;
    std::uint64_t synced_size_ = 0;
    bool given_up_ = false;
};

class WalGuardFileSystem final : public rocksdb::FileSystemWrapper {
public:
    explicit WalGuardFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target)
        : FileSystemWrapper(target) {}

    const char* Name() const override { return "OrreryWalGuard"; }

    rocksdb::IOStatus NewWritableFile(const std::string& name,
                                      const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* file,
                                      rocksdb::IODebugContext* debug) override {
        rocksdb::IOStatus status = target()->NewWritableFile(name, options, file, debug);
        if (status.ok() && name.ends_with(".log")) {
            *file = std::make_unique<WalGuardFile>(std::move(*file));
        }
        return status;
    }
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> make_wal_guard(std::shared_ptr<rocksdb::FileSystem> target) {
    return std::make_shared<WalGuardFileSystem>(target);
}

}  // namespace orrery::storage
