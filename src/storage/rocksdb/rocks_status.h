// Where RocksDB's errors become ours: no rocksdb::Status leaves this folder.

#pragma once

#include <string>

#include <rocksdb/status.h>

#include "base/result.h"

namespace orrery::storage {

// `status` is not ok. `doing` says what failed: "writing to /data/db".
Error to_error(const rocksdb::Status& status, const std::string& doing);

// Ok stays ok.
Status to_status(const rocksdb::Status& status, const std::string& doing);

}  // namespace orrery::storage
