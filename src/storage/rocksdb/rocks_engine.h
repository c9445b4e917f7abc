// The RocksDB engines. Both use the same keys: four bytes of partition id, big endian, then the
// partition's own key; they differ in how many databases hold them. RocksDB's types stay inside
// this folder: callers only pass a file system through.

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "storage/durable_engine.h"

namespace rocksdb {
class FileSystem;
}

namespace orrery::storage {

struct RocksOptions {
    std::string path;
    // Create the database if it is missing. Otherwise a missing one is kCorrupted: set this only if
    // the data directory is known to be new.
    bool create = false;
    // Null for the local disk.
    std::shared_ptr<rocksdb::FileSystem> file_system = nullptr;
    // For blocks and single values. Filled as they are read, so an idle server does not use it.
    std::size_t cache_bytes = std::size_t{256} << 20;
    std::size_t write_buffer_bytes = std::size_t{64} << 20;
    // First letters of keys that are only scanned, which are left out of the filters. Getting one
    // of them still works, but slower.
    std::string scanned_letters = {};
    // Flush on shutdown, so that the next open has no log to replay. Makes shutdown slower; nothing
    // depends on it.
    bool flush_at_end = false;
    // How long the log is kept after it is no longer needed, for backups; zero: not at all.
    // Nothing: for ever if there is such a log, so that tools do not remove what a server has kept.
    std::optional<std::chrono::seconds> log_retention = std::nullopt;
    // After a failed write, recovery is attempted at most this often; commits in between are
    // refused at once.
    std::chrono::milliseconds recovery_interval{200};
};

// One database for all partitions: one log and shared syncs. The embedded default.
Result<std::unique_ptr<DurableEngine>> open_durable_rocks(const RocksOptions& options);

// The same, for those who need no more than an engine.
Result<std::unique_ptr<Engine>> open_shared_rocks(const RocksOptions& options);

// One database per partition, in subdirectories such as p00000007 (the id in hexadecimal), opened
// with the partition, so that a partition can move between machines that see the same files.
Result<std::unique_ptr<Engine>> open_split_rocks(const RocksOptions& options);

// A file system in memory; its files can be reopened as long as this object exists.
std::shared_ptr<rocksdb::FileSystem> make_memory_file_system();

}  // namespace orrery::storage
