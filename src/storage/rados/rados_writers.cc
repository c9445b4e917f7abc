#include <algorithm>
#include <deque>
#include <utility>

#include "base/stopwatch.h"
#include "storage/rados/rados_files.h"
#include "storage/rados/rados_status.h"

namespace orrery::storage {

namespace {

// An OSD refuses operations of more than about 90 MB, and by default objects of more than 128 MB. A
// memtable is flushed, and its log ends, long before.
constexpr std::size_t kAppendBytesMax = std::size_t{64} << 20;
constexpr std::uint64_t kLogBytesMax = std::uint64_t{120} << 20;

// More only wait for each other on the way to the OSDs.
constexpr std::size_t kChunksInFlightMax = 4;

class LogWriter final : public rocksdb::FSWritableFile {
public:
    LogWriter(std::shared_ptr<RadosDirectory> directory,
              std::string name,
              FileId id,
              std::shared_ptr<metrics::Histogram> syncs)
        : directory_(std::move(directory)),
          name_(std::move(name)),
          id_(id),
          syncs_(std::move(syncs)) {}

    using FSWritableFile::Append;
    rocksdb::IOStatus Append(const rocksdb::Slice& data,
                             const rocksdb::IOOptions& /*options*/,
                             rocksdb::IODebugContext* /*debug*/) override {
        if (!failure_) waiting_.append(data.data(), data.size());
        return rocksdb::IOStatus::OK();
    }

    rocksdb::IOStatus Flush(const rocksdb::IOOptions& /*options*/,
                            rocksdb::IODebugContext* /*debug*/) override {
        return rocksdb::IOStatus::OK();
    }

    // After a failure the log is abandoned: nothing can be acknowledged through it any more.
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& /*options*/,
                           rocksdb::IODebugContext* /*debug*/) override {
        if (!failure_) {
            const Timer timer;
            const Status written = write_waiting();
            if (syncs_) syncs_->add(timer.elapsed());
            if (!written) failure_ = written.error().copy();
        }
        return failure_ ? to_io_status(failure_->copy()) : rocksdb::IOStatus::OK();
    }

    rocksdb::IOStatus Close(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* debug) override {
        if (failure_) return rocksdb::IOStatus::OK();
        const rocksdb::IOStatus synced = Sync(options, debug);
        if (synced.ok()) directory_->grow(name_, id_, size_, true);
        return synced;
    }

    std::uint64_t GetFileSize(const rocksdb::IOOptions& /*options*/,
                              rocksdb::IODebugContext* /*debug*/) override {
        return size_ + waiting_.size();
    }

private:
    Status write_waiting() {
        if (size_ + waiting_.size() > kLogBytesMax) {
            return Error(ErrorCode::kUnavailable, name_ + " would become too large");
        }
        for (std::size_t at = 0; at < waiting_.size(); at += kAppendBytesMax) {
            const std::string_view part = std::string_view(waiting_).substr(at, kAppendBytesMax);
            TRY(directory_->append(id_, size_ + at, part));
        }
        size_ += waiting_.size();
        waiting_.clear();
        directory_->grow(name_, id_, size_, false);
        return {};
    }

    const std::shared_ptr<RadosDirectory> directory_;
    const std::string name_;
    const FileId id_;
    const std::shared_ptr<metrics::Histogram> syncs_;
    std::string waiting_;
    std::uint64_t size_ = 0;
    std::optional<Error> failure_;
};

class FileWriter final : public rocksdb::FSWritableFile {
public:
    FileWriter(std::shared_ptr<RadosDirectory> directory, std::string name)
        : directory_(std::move(directory)), name_(std::move(name)) {
        entry_.id = directory_->new_id();
    }

    ~FileWriter() override {
        // RocksDB does not close small files such as CURRENT. Others that are not closed are not
        // needed.
        if (!closed_ && entry_.kind == FileEntry::Kind::kInline && !failure_) {
            static_cast<void>(save_inline());
        }
    }

    using FSWritableFile::Append;
    rocksdb::IOStatus Append(const rocksdb::Slice& data,
                             const rocksdb::IOOptions& /*options*/,
                             rocksdb::IODebugContext* /*debug*/) override {
        if (failure_) return to_io_status(failure_->copy());
        waiting_.append(data.data(), data.size());
        entry_.size += data.size();
        changed_ = true;
        return checked(waiting_.size() >= kChunkBytes ? start_writes(false) : Status());
    }

    rocksdb::IOStatus Flush(const rocksdb::IOOptions& /*options*/,
                            rocksdb::IODebugContext* /*debug*/) override {
        return rocksdb::IOStatus::OK();
    }

    rocksdb::IOStatus Sync(const rocksdb::IOOptions& /*options*/,
                           rocksdb::IODebugContext* /*debug*/) override {
        if (failure_) return to_io_status(failure_->copy());
        return checked(save());
    }

    rocksdb::IOStatus Close(const rocksdb::IOOptions& /*options*/,
                            rocksdb::IODebugContext* /*debug*/) override {
        if (failure_) return to_io_status(failure_->copy());
        if (closed_) return rocksdb::IOStatus::OK();
        closed_ = true;
        Status saved = save();
        if (saved && entry_.kind == FileEntry::Kind::kChunks) saved = seal();
        return checked(std::move(saved));
    }

    std::uint64_t GetFileSize(const rocksdb::IOOptions& /*options*/,
                              rocksdb::IODebugContext* /*debug*/) override {
        return entry_.size;
    }

private:
    rocksdb::IOStatus checked(const Status& status) {
        if (!status) failure_ = status.error().copy();
        return to_io_status(status);
    }

    Status save() {
        const bool is_small =
            entry_.kind == FileEntry::Kind::kInline && entry_.size <= kInlineBytesMax;
        if (is_small) return save_inline();
        TRY(start_writes(true));
        while (!in_flight_.empty()) {
            TRY(in_flight_.front().all());
            in_flight_.pop_front();
        }
        return {};
    }

    Status save_inline() {
        if (!changed_ && entry_.sealed) return {};
        entry_.content = waiting_;
        TRY(seal());
        changed_ = false;
        return {};
    }

    Status seal() {
        entry_.sealed = true;
        entry_.modified_seconds = directory_->now_seconds();
        return directory_->put(name_, entry_);
    }

    // Starts writing the full chunks, or all that waits.
    Status start_writes(bool everything) {
        if (entry_.kind == FileEntry::Kind::kInline) {
            // The entry comes before the objects, so that whatever exists can be found and removed.
            entry_.kind = FileEntry::Kind::kChunks;
            entry_.sealed = false;
            entry_.content.clear();
            FileEntry unsealed = entry_;
            unsealed.size = 0;
            unsealed.modified_seconds = directory_->now_seconds();
            TRY(directory_->put(name_, unsealed));
        }
        std::size_t taken = 0;
        for (;;) {
            const std::uint64_t in_chunk = written_ % kChunkBytes;
            const std::size_t size =
                std::min<std::size_t>(kChunkBytes - in_chunk, waiting_.size() - taken);
            if (size == 0 || (!everything && in_chunk + size < kChunkBytes)) break;
            TRY(start_write(in_chunk, std::string_view(waiting_).substr(taken, size)));
            taken += size;
            written_ += size;
        }
        waiting_.erase(0, taken);
        return {};
    }

    Status start_write(std::uint64_t in_chunk, std::string_view bytes) {
        if (in_flight_.size() >= kChunksInFlightMax) {
            TRY(in_flight_.front().all());
            in_flight_.pop_front();
        }
        RadosChange change(directory_->pool());
        change.write(in_chunk, bytes);
        const std::string object =
            chunk_name(directory_->name(), entry_.id, written_ / kChunkBytes);
        directory_->pool().start(object, std::move(change), in_flight_.emplace_back().one());
        return {};
    }

    const std::shared_ptr<RadosDirectory> directory_;
    const std::string name_;
    FileEntry entry_;
    std::string waiting_;  // the whole file while it is small
    std::uint64_t written_ = 0;
    std::deque<RadosWait> in_flight_;
    std::optional<Error> failure_;
    bool changed_ = true;
    bool closed_ = false;
};

}  // namespace

rocksdb::IOStatus to_io_status(const Status& status) {
    if (status) return rocksdb::IOStatus::OK();
    const Error& error = status.error();
    if (is_full(error)) return rocksdb::IOStatus::NoSpace(error.message());
    switch (error.code()) {
        case ErrorCode::kFenced:
            return rocksdb::IOStatus::IOFenced(error.message());
        case ErrorCode::kTimeout:
            return rocksdb::IOStatus::TimedOut(error.message());
        case ErrorCode::kNotFound:
            return rocksdb::IOStatus::NotFound(error.message());
        case ErrorCode::kCorrupted:
            return rocksdb::IOStatus::Corruption(error.message());
        default:
            return rocksdb::IOStatus::IOError(error.message());
    }
}

std::unique_ptr<rocksdb::FSWritableFile> make_log_writer(
    std::shared_ptr<RadosDirectory> directory,
    std::string name,
    FileId id,
    std::shared_ptr<metrics::Histogram> syncs) {
    return std::make_unique<LogWriter>(std::move(directory), std::move(name), id, std::move(syncs));
}

std::unique_ptr<rocksdb::FSWritableFile> make_file_writer(std::shared_ptr<RadosDirectory> directory,
                                                          std::string name) {
    return std::make_unique<FileWriter>(std::move(directory), std::move(name));
}

}  // namespace orrery::storage
