// The copies of a database's files that backups hold, kept by RocksDB's BackupEngine: files that do
// not change are shared between backups, every copy has a checksum, and what an interrupted backup
// left is removed by the next one.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace rocksdb {
class BackupEngine;
class DB;
class Env;
}  // namespace rocksdb

namespace orrery::storage {

class BackupFiles {
public:
    // Creates the directory if it is missing. Used by one process at a time. `source` is where the
    // database is; null for the local disk.
    static Result<BackupFiles> open(const std::string& directory, rocksdb::Env* source = nullptr);
    BackupFiles(const BackupFiles&) = delete;
    BackupFiles& operator=(const BackupFiles&) = delete;
    BackupFiles(BackupFiles&&) noexcept;
    BackupFiles& operator=(BackupFiles&&) noexcept;
    ~BackupFiles();

    struct Copy {
        std::uint32_t id = 0;
        std::uint64_t bytes = 0;
        std::uint64_t new_bytes = 0;  // of files that no other copy has
    };
    // Copies a consistent state of an open database. `proceed` receives the bytes copied so far and
    // returns whether to go on; it must not throw.
    Result<Copy> add(rocksdb::DB& db, const std::function<bool(std::uint64_t)>& proceed);

    std::vector<std::uint32_t> ids() const;
    // Reads everything and compares it with its checksums. kCorrupted, naming the file.
    Status verify(std::uint32_t id) const;
    // Removes all other copies, and remains of interrupted ones.
    Status keep_only(const std::vector<std::uint32_t>& ids);
    // Writes the files to a directory that does not exist yet, verifying them.
    Status restore(std::uint32_t id, const std::string& directory) const;

private:
    BackupFiles(std::string directory, std::unique_ptr<rocksdb::BackupEngine> engine);

    std::string directory_;
    std::unique_ptr<rocksdb::BackupEngine> engine_;
};

}  // namespace orrery::storage
