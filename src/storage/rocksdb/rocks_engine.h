// The engines on RocksDB. Both keep the same keys: four bytes of partition id, big endian, and then
// the partition's own key; they differ in how many databases hold them. RocksDB's types stay inside
// this folder: callers only pass a file system through.

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "base/result.h"
#include "storage/engine.h"

namespace rocksdb {
class FileSystem;
}

namespace orrery::storage {

struct RocksOptions {
    std::string path;
    // Make the database when it is not there. Without it a missing one is kCorrupted: pass it only
    // when the data directory is known to be new.
    bool create = false;
    // Null means the local disk.
    std::shared_ptr<rocksdb::FileSystem> file_system = nullptr;
    // Filled as blocks are read, so an idle server does not pay for it.
    std::size_t block_cache_bytes = std::size_t{256} << 20;
    std::size_t write_buffer_bytes = std::size_t{16} << 20;
    // First letters of keys that are scanned and never got, so that filters leave them out. Getting
    // one of them works, only slower.
    std::string scanned_letters = {};
    // Writes out what is only in the log when the engine ends, so that the next open has nothing to
    // replay. Costs the end some time; nothing depends on it.
    bool flush_at_end = false;
    // After a failed write the engine tries to get going again at most this often; commits in
    // between are refused at once.
    std::chrono::milliseconds recovery_interval{200};
};

// One database for all partitions: one log and one sync for everybody. The embedded default.
Result<std::unique_ptr<Engine>> open_shared_rocks(const RocksOptions& options);

// One database a partition, in subdirectories such as p00000007 (the id in hexadecimal), opened
// when the partition is, so that a partition can move between machines that see the same files.
Result<std::unique_ptr<Engine>> open_split_rocks(const RocksOptions& options);

// A file system that lives and dies with this object; what is on it can be reopened meanwhile.
std::shared_ptr<rocksdb::FileSystem> make_memory_file_system();

}  // namespace orrery::storage
