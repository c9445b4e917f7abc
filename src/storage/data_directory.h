// The server's data directory: checks ownership and format, and ensures that only one server uses
// it. It holds a marker file ORRERY, a LOCK, the database in db/ and other files of the server.

#pragma once

#include <string>

#include "base/result.h"

namespace orrery::storage {

// On disk, in the marker. Increase with any change that older servers would misread.
inline constexpr int kDataFormat = 4;

class DataDirectory;

// Creates or initialises a missing or empty directory, and takes its lock. Refuses, with a message
// for the operator, a directory that is foreign, in use, of another format, damaged, or without its
// database.
Result<DataDirectory> open_data_directory(const std::string& path);

// What a server would find. Nothing is changed, and no lock kept.
struct DirectoryExamination {
    bool exists = false;
    bool has_data = false;
    int format = 0;  // of the data
    bool in_use = false;
    int user = 0;  // the process that uses it; 0 if that is not known
};

// Refuses with the same messages as open_data_directory().
Result<DirectoryExamination> examine_data_directory(const std::string& path);

// Holds the lock until it is destroyed.
class DataDirectory {
public:
    DataDirectory(const DataDirectory&) = delete;
    DataDirectory& operator=(const DataDirectory&) = delete;
    DataDirectory(DataDirectory&& other) noexcept;
    DataDirectory& operator=(DataDirectory&& other) noexcept;
    ~DataDirectory();

    const std::string& path() const { return path_; }
    std::string database_path() const { return path_ + "/db"; }

    // True if there is no database yet: the caller must create one and then call mark_ready(). What
    // an interrupted first start left is discarded.
    bool fresh() const { return fresh_; }

    // True if the directory has an older format. This server reads it as it is, but what it writes
    // has the newest format: before writing, the caller must call mark_ready(), after which older
    // servers refuse the directory.
    bool outdated() const { return outdated_; }

    // From now on the directory has the newest format, and a missing database is an error.
    Status mark_ready();

private:
    friend Result<DataDirectory> open_data_directory(const std::string& path);

    DataDirectory(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

    std::string path_;
    int lock_ = -1;  // file descriptor; -1 after a move
    bool fresh_ = false;
    bool outdated_ = false;
};

}  // namespace orrery::storage
