// A partition as a range of keys in a RocksDB: those that begin with its id, four bytes big endian.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "storage/engine.h"
#include "storage/rocksdb/rocks_database.h"

namespace orrery::storage {

std::shared_ptr<PartitionStore> make_rocks_store(std::shared_ptr<RocksDatabase> database,
                                                 PartitionId id);

// 7 → 00 00 00 07. On disk. Never change.
std::string partition_prefix(PartitionId id);

// The first key after the partition's keys; nullopt for the last partition.
std::optional<std::string> partition_end(PartitionId id);

}  // namespace orrery::storage
