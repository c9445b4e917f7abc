#include <algorithm>
#include <utility>

#include "storage/rados/rados_files.h"

namespace orrery::storage {

namespace {

// Logs are read from end to end, when a database is opened.
constexpr std::size_t kReadAheadBytes = std::size_t{4} << 20;

rocksdb::IOStatus read_error(const Status& status) {
    // A time-out of a read leaves nothing in doubt, and an object that is missing is an error of
    // the medium: the directory says that it exists.
    const ErrorCode code = status.error().code();
    if (code == ErrorCode::kTimeout || code == ErrorCode::kNotFound) {
        return rocksdb::IOStatus::IOError(status.error().message());
    }
    return to_io_status(status);
}

// The bytes of a file, wherever they are. Thread-safe.
class FileBytes {
public:
    FileBytes(std::shared_ptr<RadosPool> pool, std::string directory, FileEntry entry)
        : pool_(std::move(pool)), directory_(std::move(directory)), entry_(std::move(entry)) {}

    // A read in parts, one for each object.
    class Read {
    public:
        void start(const FileBytes& file, std::uint64_t offset, std::size_t size, char* to);
        // The number of bytes, fewer than wanted only at the end of the file.
        Result<std::size_t> finish(const FileBytes& file);

    private:
        struct Part {
            std::size_t wanted = 0;
            std::size_t got = 0;
        };

        std::vector<std::shared_ptr<Part>> parts_;
        std::size_t in_memory_ = 0;
        RadosWait wait_;
    };

    // How many of the bytes there are; those of a file that is not complete are not known.
    std::size_t clip(std::uint64_t offset, std::size_t size) const {
        if (!entry_.sealed) return size;
        return offset < entry_.size ? std::min<std::size_t>(size, entry_.size - offset) : 0;
    }

    Result<std::size_t> read(std::uint64_t offset, std::size_t size, char* to) const {
        Read read;
        read.start(*this, offset, size, to);
        return read.finish(*this);
    }

private:
    const std::shared_ptr<RadosPool> pool_;
    const std::string directory_;
    const FileEntry entry_;
};

void FileBytes::Read::start(const FileBytes& file,
                            std::uint64_t offset,
                            std::size_t size,
                            char* to) {
    const FileEntry& entry = file.entry_;
    size = file.clip(offset, size);
    if (size == 0) return;
    if (entry.kind == FileEntry::Kind::kInline) {
        std::copy_n(entry.content.data() + offset, size, to);
        in_memory_ = size;
        return;
    }
    while (size > 0) {
        const bool is_log = entry.kind == FileEntry::Kind::kLog;
        const std::uint64_t in_object = is_log ? offset : offset % kChunkBytes;
        const auto part = std::make_shared<Part>();
        part->wanted = is_log ? size : std::min<std::size_t>(size, kChunkBytes - in_object);
        const std::string object =
            is_log ? object_name(file.directory_, entry.id)
                   : chunk_name(file.directory_, entry.id, offset / kChunkBytes);
        parts_.push_back(part);
        file.pool_->start_read(object,
                               in_object,
                               part->wanted,
                               to,
                               [part, done = wait_.one()](Result<std::size_t> got) {
                                   if (!got) return done(std::move(got).take_error());
                                   part->got = *got;
                                   done({});
                               });
        offset += part->wanted;
        to += part->wanted;
        size -= part->wanted;
    }
}

Result<std::size_t> FileBytes::Read::finish(const FileBytes& file) {
    TRY(wait_.all());
    std::size_t total = in_memory_;
    bool ended = false;
    for (const std::shared_ptr<Part>& part : parts_) {
        if (ended && part->got > 0) return Error(ErrorCode::kUnavailable, "a chunk is too short");
        total += part->got;
        ended = part->got < part->wanted;
    }
    if (ended && file.entry_.sealed) {
        return Error(ErrorCode::kUnavailable,
                     "a file of " + file.directory_ + " is shorter than its directory says");
    }
    return total;
}

class RandomReader final : public rocksdb::FSRandomAccessFile {
public:
    explicit RandomReader(FileBytes bytes) : bytes_(std::move(bytes)) {}

    rocksdb::IOStatus Read(std::uint64_t offset,
                           std::size_t size,
                           const rocksdb::IOOptions& /*options*/,
                           rocksdb::Slice* result,
                           char* scratch,
                           rocksdb::IODebugContext* /*debug*/) const override {
        const Result<std::size_t> read = bytes_.read(offset, size, scratch);
        *result = rocksdb::Slice(scratch, read ? *read : 0);
        return read ? rocksdb::IOStatus::OK() : read_error(read.error().copy());
    }

    rocksdb::IOStatus MultiRead(rocksdb::FSReadRequest* requests,
                                std::size_t count,
                                const rocksdb::IOOptions& /*options*/,
                                rocksdb::IODebugContext* /*debug*/) override {
        std::vector<FileBytes::Read> reads(count);
        for (std::size_t i = 0; i < count; ++i) {
            reads[i].start(bytes_, requests[i].offset, requests[i].len, requests[i].scratch);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const Result<std::size_t> read = reads[i].finish(bytes_);
            requests[i].result = rocksdb::Slice(requests[i].scratch, read ? *read : 0);
            requests[i].status = read ? rocksdb::IOStatus::OK() : read_error(read.error().copy());
        }
        return rocksdb::IOStatus::OK();
    }

private:
    const FileBytes bytes_;
};

// Reads ahead. At the end of a log that is still being written, it looks again every time: neither
// an end nor a short read is remembered.
class SequentialReader final : public rocksdb::FSSequentialFile {
public:
    explicit SequentialReader(FileBytes bytes) : bytes_(std::move(bytes)) {}

    rocksdb::IOStatus Read(std::size_t size,
                           const rocksdb::IOOptions& /*options*/,
                           rocksdb::Slice* result,
                           char* scratch,
                           rocksdb::IODebugContext* /*debug*/) override {
        *result = rocksdb::Slice(scratch, 0);
        if (ahead_.size() - taken_ < size) {
            const Status filled = refill(size);
            if (!filled) return read_error(filled);
        }
        const std::size_t given = std::min(size, ahead_.size() - taken_);
        std::copy_n(ahead_.data() + taken_, given, scratch);
        taken_ += given;
        *result = rocksdb::Slice(scratch, given);
        return rocksdb::IOStatus::OK();
    }

    rocksdb::IOStatus Skip(std::uint64_t size) override {
        const std::size_t held = ahead_.size() - taken_;
        if (size <= held) {
            taken_ += size;
        } else {
            offset_ += size - held;
            ahead_.clear();
            taken_ = 0;
        }
        return rocksdb::IOStatus::OK();
    }

private:
    Status refill(std::size_t size) {
        ahead_.erase(0, taken_);
        taken_ = 0;
        const std::size_t held = ahead_.size();
        const std::size_t wanted = bytes_.clip(offset_, std::max(size, kReadAheadBytes) - held);
        ahead_.resize(held + wanted);
        const Result<std::size_t> read = bytes_.read(offset_, wanted, ahead_.data() + held);
        ahead_.resize(held + (read ? *read : 0));
        if (!read) return read.error().copy();
        offset_ += *read;
        return {};
    }

    const FileBytes bytes_;
    std::uint64_t offset_ = 0;  // where the read-ahead ends
    std::string ahead_;
    std::size_t taken_ = 0;
};

}  // namespace

std::unique_ptr<rocksdb::FSRandomAccessFile> make_random_reader(std::shared_ptr<RadosPool> pool,
                                                                std::string directory,
                                                                FileEntry entry) {
    return std::make_unique<RandomReader>(
        FileBytes(std::move(pool), std::move(directory), std::move(entry)));
}

std::unique_ptr<rocksdb::FSSequentialFile> make_sequential_reader(std::shared_ptr<RadosPool> pool,
                                                                  std::string directory,
                                                                  FileEntry entry) {
    return std::make_unique<SequentialReader>(
        FileBytes(std::move(pool), std::move(directory), std::move(entry)));
}

}  // namespace orrery::storage
