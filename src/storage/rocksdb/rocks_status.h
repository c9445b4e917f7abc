// Converts RocksDB's errors to ours: no rocksdb::Status leaves this folder.

#pragma once

#include <string>

#include <rocksdb/status.h>

#include "base/result.h"

namespace orrery::storage {

// `status` must not be ok. `doing` names the failed operation: "writing to /data/db".
Error to_error(const rocksdb::Status& status, const std::string& doing);

// Success if `status` is ok.
Status to_status(const rocksdb::Status& status, const std::string& doing);

}  // namespace orrery::storage
