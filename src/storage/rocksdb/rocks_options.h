// All our RocksDB settings and their reasons.

#pragma once

#include <memory>

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>
#include <rocksdb/write_buffer_manager.h>

#include "base/thread_pool.h"
#include "storage/rocksdb/database_medium.h"
#include "storage/rocksdb/rocks_engine.h"
#include "storage/rocksdb/rocks_stats.h"

namespace orrery::storage {

// The prefix of every key: its partition.
inline constexpr std::size_t kPrefixSize = sizeof(PartitionId);

// Shared by the databases of one engine, which it must outlive.
struct RocksResources {
    std::shared_ptr<rocksdb::FileSystem> file_system;
    DatabaseMedium* medium = nullptr;  // the same object
    std::unique_ptr<rocksdb::Env> env;
    std::shared_ptr<rocksdb::Cache> block_cache;
    std::shared_ptr<rocksdb::Cache> row_cache;
    std::shared_ptr<rocksdb::Logger> logger;
    std::shared_ptr<CacheStatistics> cache_statistics;
    std::shared_ptr<RocksCounters> counters;
    // Null: as much as the databases want.
    std::shared_ptr<rocksdb::WriteBufferManager> write_buffers;
    ThreadPool* committers = nullptr;  // write groups of commits
    // The medium is on other machines: nobody but a committer waits for it to commit.
    bool is_remote = false;
};

// For databases on a disk. `committers` belongs to the engine.
std::shared_ptr<const RocksResources> make_rocks_resources(const RocksOptions& options,
                                                           ThreadPool& committers);

// For databases on a medium that other nodes see too, each of which has many.
std::shared_ptr<const RocksResources> make_remote_resources(const RocksOptions& options,
                                                            ThreadPool& committers,
                                                            DatabaseMedium& medium,
                                                            std::size_t write_buffers_bytes_max);

rocksdb::Options make_database_options(const RocksOptions& options,
                                       const RocksResources& resources);

}  // namespace orrery::storage
