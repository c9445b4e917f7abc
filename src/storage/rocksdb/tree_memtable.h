// Memtables that are B+-trees (entry_tree.h) instead of RocksDB's skip lists: adding an entry takes
// a fraction of the time, because it looks at few nodes, each of them in one piece. They need
// allow_concurrent_memtable_write = false and the bytewise comparator.

#pragma once

#include <memory>

#include <rocksdb/memtablerep.h>

namespace orrery::storage {

std::shared_ptr<rocksdb::MemTableRepFactory> make_tree_memtables();

}  // namespace orrery::storage
