// Files of commits, as RocksDB's log had them: what lies between two backups.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <rocksdb/file_system.h>
#include <rocksdb/write_batch.h>

#include "base/result.h"

namespace orrery::storage {

class CommitLogWriter {
public:
    // Replaces an existing file.
    static Result<CommitLogWriter> create(const std::string& path);

    Status add(const rocksdb::WriteBatch& batch);
    // Everything is on stable storage when this returns, but for the file's name.
    Status finish();

    std::uint64_t bytes() const { return bytes_; }

private:
    CommitLogWriter(std::string path, std::unique_ptr<rocksdb::FSWritableFile> file);

    Status flush();

    std::string path_;
    std::unique_ptr<rocksdb::FSWritableFile> file_;
    std::string buffer_;
    std::uint64_t bytes_ = 0;
};

class CommitLogReader {
public:
    static Result<CommitLogReader> open(const std::string& path);

    // The next commit; nothing at the end. kCorrupted for damage, also for an incomplete end.
    Result<std::optional<rocksdb::WriteBatch>> next();

private:
    CommitLogReader(std::string path, std::unique_ptr<rocksdb::FSSequentialFile> file)
        : path_(std::move(path)), file_(std::move(file)) {}

    // Up to that many bytes, fewer only at the end of the file.
    Result<std::string> read(std::size_t count);
    Error damaged() const;

    std::string path_;
    std::unique_ptr<rocksdb::FSSequentialFile> file_;
};

}  // namespace orrery::storage
