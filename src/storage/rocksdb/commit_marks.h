// When each commit was made: a mark in its log record, which RocksDB ignores and which becomes no
// key. It is what restoring to a point in time goes by.

#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include <rocksdb/write_batch.h>

#include "base/result.h"

namespace orrery::storage {

// Gives out times that only ever rise. Thread-safe.
class CommitClock {
public:
    std::int64_t next(std::uint64_t now_micros);

private:
    std::mutex mutex_;
    std::int64_t last_ = 0;
};

Status add_mark(rocksdb::WriteBatch& batch, std::int64_t micros);

// Nothing if the batch was written by an earlier version.
Result<std::optional<std::int64_t>> mark_of(const rocksdb::WriteBatch& batch);

// The number of the batch's first change, once RocksDB has written it.
std::uint64_t position_of(const rocksdb::WriteBatch& batch);

}  // namespace orrery::storage
