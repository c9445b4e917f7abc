// All our RocksDB settings and their reasons.

#pragma once

#include <memory>

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>

#include "base/thread_pool.h"
#include "storage/rocksdb/rocks_engine.h"
#include "storage/rocksdb/rocks_stats.h"
#include "storage/rocksdb/wal_guard_file_system.h"

namespace orrery::storage {

// The prefix of every key: its partition.
inline constexpr std::size_t kPrefixSize = sizeof(PartitionId);

// Shared by the databases of one engine, which it must outlive.
struct RocksResources {
    std::shared_ptr<WalGuardFileSystem> file_system;
    std::unique_ptr<rocksdb::Env> env;
    std::shared_ptr<rocksdb::Cache> block_cache;
    std::shared_ptr<rocksdb::Cache> row_cache;
    std::shared_ptr<rocksdb::Logger> logger;
    std::shared_ptr<CacheStatistics> cache_statistics;
    std::shared_ptr<RocksCounters> counters;
    ThreadPool* committers = nullptr;  // write groups of commits
};

// `committers` belongs to the engine.
std::shared_ptr<const RocksResources> make_rocks_resources(const RocksOptions& options,
                                                           ThreadPool& committers);

rocksdb::Options make_database_options(const RocksOptions& options,
                                       const RocksResources& resources);

}  // namespace orrery::storage
