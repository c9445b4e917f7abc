#include "storage/rocksdb/rocks_status.h"

#include "base/check.h"

namespace orrery::storage {

namespace {

ErrorCode code_of(const rocksdb::Status& status) {
    if (status.IsIOFenced()) return ErrorCode::kFenced;
    if (status.IsCorruption()) return ErrorCode::kCorrupted;
    // Written by a RocksDB version that this one does not know.
    if (status.IsNotSupported()) return ErrorCode::kCorrupted;
    return ErrorCode::kUnavailable;
}

}  // namespace

Error to_error(const rocksdb::Status& status, const std::string& doing) {
    CHECK(!status.ok());
    return Error(code_of(status), doing + ": " + status.ToString());
}

Status to_status(const rocksdb::Status& status, const std::string& doing) {
    if (status.ok()) return {};
    return to_error(status, doing);
}

}  // namespace orrery::storage
