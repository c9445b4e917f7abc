// Directories on any of RocksDB's file systems.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <rocksdb/file_system.h>

namespace orrery::storage {

std::string file_in(std::string path, std::string_view name);

// Makes the creation, renaming and removal of files in a directory survive a power failure.
rocksdb::IOStatus sync_directory(rocksdb::FileSystem& file_system, const std::string& path);

// The total size of the files in a directory; unreadable ones count as zero.
std::uint64_t directory_bytes(rocksdb::FileSystem& file_system, const std::string& path);

}  // namespace orrery::storage
