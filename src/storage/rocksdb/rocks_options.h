// Every RocksDB setting we choose, and why, in one place.

#pragma once

#include <memory>

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/options.h>

#include "storage/rocksdb/rocks_engine.h"
#include "storage/rocksdb/wal_guard_file_system.h"

namespace orrery::storage {

// Of every key: the partition it belongs to.
inline constexpr std::size_t kPrefixSize = sizeof(PartitionId);

// What the databases of one engine share. It must outlive them.
struct RocksResources {
    std::shared_ptr<WalGuardFileSystem> file_system;
    std::unique_ptr<rocksdb::Env> env;
    std::shared_ptr<rocksdb::Cache> block_cache;
    std::shared_ptr<rocksdb::Logger> logger;
};

std::shared_ptr<const RocksResources> make_rocks_resources(const RocksOptions& options);

rocksdb::Options make_database_options(const RocksOptions& options,
                                       const RocksResources& resources);

}  // namespace orrery::storage
