#include "storage/rocksdb/commit_log.h"

#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/crc32.h"
#include "storage/rocksdb/rocks_status.h"

namespace orrery::storage {

namespace {

// On disk: this line, then for each commit its length and the CRC-32 of its bytes (4 bytes each,
// little endian) and its bytes, a RocksDB batch. Never change.
constexpr std::string_view kFirstLine = "orrery commits 1\n";
constexpr std::size_t kRecordHeadBytes = 8;
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
// More than any commit has: groups are bounded, and so are the writes of one request.
constexpr std::uint32_t kCommitBytesMax = std::uint32_t{1} << 30;

rocksdb::FileSystem& file_system() { return *rocksdb::FileSystem::Default(); }

}  // namespace

Result<CommitLogWriter> CommitLogWriter::create(const std::string& path) {
    std::unique_ptr<rocksdb::FSWritableFile> file;
    TRY(to_status(file_system().NewWritableFile(path, rocksdb::FileOptions(), &file, nullptr),
                  "creating " + path));
    return CommitLogWriter(path, std::move(file));
}

CommitLogWriter::CommitLogWriter(std::string path, std::unique_ptr<rocksdb::FSWritableFile> file)
    : path_(std::move(path)), file_(std::move(file)), buffer_(kFirstLine) {}

Status CommitLogWriter::add(const rocksdb::WriteBatch& batch) {
    const std::string& bytes = batch.Data();
    append_little_endian(buffer_, static_cast<std::uint32_t>(bytes.size()));
    append_little_endian(buffer_, crc32(bytes));
    buffer_ += bytes;
    return buffer_.size() < kBufferBytes ? Status() : flush();
}

Status CommitLogWriter::finish() {
    TRY(flush());
    const rocksdb::IOOptions options;
    TRY(to_status(file_->Fsync(options, nullptr), "syncing " + path_));
    return to_status(file_->Close(options, nullptr), "closing " + path_);
}

Status CommitLogWriter::flush() {
    TRY(to_status(file_->Append(buffer_, rocksdb::IOOptions(), nullptr), "writing to " + path_));
    bytes_ += buffer_.size();
    buffer_.clear();
    return {};
}

Result<CommitLogReader> CommitLogReader::open(const std::string& path) {
    std::unique_ptr<rocksdb::FSSequentialFile> file;
    TRY(to_status(file_system().NewSequentialFile(path, rocksdb::FileOptions(), &file, nullptr),
                  "opening " + path));
    CommitLogReader reader(path, std::move(file));
    if (TRY(reader.read(kFirstLine.size())) != kFirstLine) return reader.damaged();
    return reader;
}

Result<std::optional<rocksdb::WriteBatch>> CommitLogReader::next() {
    const std::string head = TRY(read(kRecordHeadBytes));
    if (head.empty()) return std::optional<rocksdb::WriteBatch>();
    ByteReader fields(head);
    const auto size = fields.little_endian<std::uint32_t>();
    const auto crc = fields.little_endian<std::uint32_t>();
    if (!fields.ok() || size > kCommitBytesMax) return damaged();
    std::string bytes = TRY(read(size));
    if (bytes.size() != size || crc32(bytes) != crc) return damaged();
    return std::optional(rocksdb::WriteBatch(std::move(bytes)));
}

Result<std::string> CommitLogReader::read(std::size_t count) {
    std::string bytes(count, '\0');
    std::size_t filled = 0;
    while (filled < count) {
        rocksdb::Slice part;
        TRY(to_status(
            file_->Read(
                count - filled, rocksdb::IOOptions(), &part, bytes.data() + filled, nullptr),
            "reading " + path_));
        if (part.empty()) break;
        filled += part.size();
    }
    bytes.resize(filled);
    return bytes;
}

Error CommitLogReader::damaged() const {
    return Error(ErrorCode::kCorrupted, path_ + " is damaged");
}

}  // namespace orrery::storage
