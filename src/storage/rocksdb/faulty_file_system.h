// A decorator that makes a file system full, failing or fenced on demand. Tests only.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <utility>

#include <rocksdb/file_system.h>

namespace orrery::storage {

// The switches, shared by the file system and its open files. Thread-safe.
struct FileFaults {
    static constexpr std::int64_t kUnlimited = INT64_MAX / 2;

    // Bytes that may still be written. A write that does not fit writes what fits, like write(2),
    // and fails.
    std::atomic<std::int64_t> space{kUnlimited};
    std::atomic<bool> fail_writes{false};
    std::atomic<bool> fail_syncs{false};
    std::atomic<bool> fail_truncates{false};
    std::atomic<bool> fenced{false};
    // Held shared during changes; an exclusive holder sees the files of one moment.
    std::shared_mutex changes;
    // Only files with this in their name fail; empty means all. Set before files are opened.
    std::string only;

    bool affects(const std::string& name) const { return name.find(only) != std::string::npos; }
};

class FaultyFile final : public rocksdb::FSWritableFileOwnerWrapper {
public:
    FaultyFile(std::unique_ptr<rocksdb::FSWritableFile> target,
               std::shared_ptr<FileFaults> faults,
               bool affected)
        : FSWritableFileOwnerWrapper(std::move(target)),
          faults_(std::move(faults)),
          affected_(affected) {}

    rocksdb::IOStatus Append(const rocksdb::Slice& data,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
        const std::shared_lock changing(faults_->changes);
        if (!affected_) return target()->Append(data, options, debug);
        if (faults_->fenced) return rocksdb::IOStatus::IOFenced();
        if (faults_->fail_writes) return rocksdb::IOStatus::IOError("injected write error");
        const auto size = static_cast<std::int64_t>(data.size());
        const std::int64_t left = faults_->space.fetch_sub(size);
        if (left >= size) return target()->Append(data, options, debug);
        const std::int64_t fitting = std::max<std::int64_t>(left, 0);
        faults_->space += size - fitting;
        rocksdb::IOStatus status = target()->Append(
            rocksdb::Slice(data.data(), static_cast<std::size_t>(fitting)), options, debug);
        return status.ok() ? rocksdb::IOStatus::NoSpace("injected: no space left") : status;
    }

    rocksdb::IOStatus Append(const rocksdb::Slice& data,
                             const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo& /*verification*/,
                             rocksdb::IODebugContext* debug) override {
        return Append(data, options, debug);
    }

    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
        if (affected_ && faults_->fenced) return rocksdb::IOStatus::IOFenced();
        if (affected_ && faults_->fail_syncs) return sync_error();
        return target()->Sync(options, debug);
    }

    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* debug) override {
        if (affected_ && faults_->fail_syncs) return sync_error();
        return target()->Fsync(options, debug);
    }

    rocksdb::IOStatus Truncate(std::uint64_t size,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
        const std::shared_lock changing(faults_->changes);
        if (affected_ && faults_->fail_truncates) {
            return rocksdb::IOStatus::IOError("injected truncate error");
        }
        return target()->Truncate(size, options, debug);
    }

private:
    static rocksdb::IOStatus sync_error() {
        return rocksdb::IOStatus::IOError("injected sync error");
    }

    const std::shared_ptr<FileFaults> faults_;
    const bool affected_;
};

class FaultyFileSystem final : public rocksdb::FileSystemWrapper {
public:
    explicit FaultyFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target)
        : FileSystemWrapper(target) {}

    FileFaults& faults() { return *faults_; }

    const char* Name() const override { return "Faulty"; }

    rocksdb::IOStatus NewWritableFile(const std::string& name,
                                      const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* file,
                                      rocksdb::IODebugContext* debug) override {
        const std::shared_lock changing(faults_->changes);
        const bool affected = faults_->affects(name);
        if (affected && faults_->fenced) return rocksdb::IOStatus::IOFenced();
        if (affected && faults_->fail_writes) return rocksdb::IOStatus::IOError("injected");
        if (affected && faults_->space <= 0) return rocksdb::IOStatus::NoSpace("injected");
        rocksdb::IOStatus status = target()->NewWritableFile(name, options, file, debug);
        if (status.ok()) {
            *file = std::make_unique<FaultyFile>(std::move(*file), faults_, affected);
        }
        return status;
    }

    rocksdb::IOStatus DeleteFile(const std::string& name,
                                 const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) override {
        const std::shared_lock changing(faults_->changes);
        return target()->DeleteFile(name, options, debug);
    }

    rocksdb::IOStatus RenameFile(const std::string& from,
                                 const std::string& to,
                                 const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) override {
        const std::shared_lock changing(faults_->changes);
        return target()->RenameFile(from, to, options, debug);
    }

private:
    const std::shared_ptr<FileFaults> faults_ = std::make_shared<FileFaults>();
};

}  // namespace orrery::storage
