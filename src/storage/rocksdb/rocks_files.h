// What must be true of a database's files before RocksDB may open them. RocksDB makes a new
// database where it finds no CURRENT file, does not miss a log that is gone and takes one that ends
// early for one cut short by a crash; each can hide lost data, so it is looked at here first.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <rocksdb/file_system.h>

#include "base/result.h"

namespace orrery::storage {

enum class DatabaseFiles : std::uint8_t {
    kNone,     // nothing, or what an interrupted creation leaves behind
    kPresent,  // a database that looks whole from outside
};

// kCorrupted, naming what is missing or damaged, when there was a database and now there is less.
Result<DatabaseFiles> inspect_database_files(rocksdb::FileSystem& file_system,
                                             const std::string& path);

// True when a record begins behind the place where reading the last block of a log stops. A crash
// cannot cause that: records are synced one by one, so only the last one can be incomplete.
bool has_record_behind_damage(std::string_view last_block);

}  // namespace orrery::storage
