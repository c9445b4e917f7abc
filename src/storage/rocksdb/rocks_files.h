// Checks a database's files before RocksDB opens them. RocksDB creates a new database where it
// finds no CURRENT file, does not notice a missing log, and takes any truncated log for one cut by
// a crash; each of these can hide lost data.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <rocksdb/file_system.h>

#include "base/result.h"

namespace orrery::storage {

enum class DatabaseFiles : std::uint8_t {
    kNone,     // nothing, or the remains of an interrupted creation
    kPresent,  // a database that looks complete
};

// kCorrupted, naming what is missing or damaged, if parts of a database are lost.
Result<DatabaseFiles> inspect_database_files(rocksdb::FileSystem& file_system,
                                             const std::string& path);

// Whether a record begins after the point where reading the last block of a log stops. A crash
// cannot cause that: records are synced one by one, so only the last one can be incomplete.
bool has_record_behind_damage(std::string_view last_block);

}  // namespace orrery::storage
