// A file system that keeps a refused commit out of the write-ahead log. Without it RocksDB 7.8
// leaves the beginning of the failed record in the file and, on its way out of the error, appends
// the record once more behind it; a process killed at that moment could not open its database.

#pragma once

#include <memory>

#include <rocksdb/file_system.h>

namespace orrery::storage {

std::shared_ptr<rocksdb::FileSystem> make_wal_guard(std::shared_ptr<rocksdb::FileSystem> target);

}  // namespace orrery::storage
