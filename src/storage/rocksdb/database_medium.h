// What a database asks of the file system that its files are on, besides files: to hold exactly
// what was acknowledged whenever the database is opened.

#pragma once

#include <string>

#include "base/metrics.h"
#include "base/result.h"
#include "storage/rocksdb/rocks_files.h"

namespace orrery::storage {

class DatabaseMedium {
public:
    DatabaseMedium() = default;
    DatabaseMedium(const DatabaseMedium&) = delete;
    DatabaseMedium& operator=(const DatabaseMedium&) = delete;
    virtual ~DatabaseMedium() = default;

    // Call before each open of the database in this directory, including reopens. Nothing that was
    // written before takes effect after it. Says what is there; if that is nothing, and a new
    // database may be created, the directory exists.
    virtual Result<DatabaseFiles> make_ready(const std::string& directory, bool may_create) = 0;

    // How long syncs of write-ahead logs took.
    virtual metrics::Times log_syncs() const = 0;
};

}  // namespace orrery::storage
