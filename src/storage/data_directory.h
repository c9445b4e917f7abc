// The server's data directory: whose it is, which format it has, and that only one server uses it.
// It holds a marker file ORRERY, a LOCK, the database in db/ and whatever else the server keeps.

#pragma once

#include <string>

#include "base/result.h"

namespace orrery::storage {

class DataDirectory;

// Makes the directory when it is missing or empty and takes its lock. Refused with a text for the
// operator: a directory that is something else's, in use, of a newer format, damaged, or without
// its database.
Result<DataDirectory> open_data_directory(const std::string& path);

// Holds the lock until it is gone.
class DataDirectory {
public:
    DataDirectory(const DataDirectory&) = delete;
    DataDirectory& operator=(const DataDirectory&) = delete;
    DataDirectory(DataDirectory&& other) noexcept;
    DataDirectory& operator=(DataDirectory&& other) noexcept;
    ~DataDirectory();

    const std::string& path() const { return path_; }
    std::string database_path() const { return path_ + "/db"; }

    // True when there is no database yet, and the caller is to make one and then mark_ready(). A
    // first start that did not get that far is forgotten.
    bool fresh() const { return fresh_; }

    // From now on a missing database is an error.
    Status mark_ready();

private:
    friend Result<DataDirectory> open_data_directory(const std::string& path);

    DataDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

    std::string path_;
    int lock_ = -1;  // an open file; -1 after a move
    bool fresh_ = false;
};

}  // namespace orrery::storage
