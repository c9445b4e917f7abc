// The file WALS next to a database's write-ahead logs lists those that must exist. RocksDB 7.8
// replays the logs it finds; without the list, the loss of the oldest or newest would go unnoticed.
//
// Invariant: whenever the process or the machine stops, every listed log exists and every log that
// holds data is listed. Every step is on stable storage before the next:
//
//   Adding a log:  1. create the empty file  2. sync the directory  3. draft and sync the new list
//                 4. rename the draft over the list  5. sync the directory  6. hand the file to
//                 RocksDB, which may now write to it.
//                 Stopped before 4 is on disk: an empty, unlisted log, which replays as nothing.
//                 After it: an empty log that is listed and exists.
//   Removing a log:  1. draft and sync the new list  2. rename it over the list  3. sync the
//                 directory  4. remove the file. RocksDB removes a log once its synced manifest no
//                 longer needs it.
//                 Stopped before 2 is on disk: listed and exists. After it: unlisted, and may still
//                 exist; the next open ignores and removes it.
//   Creating a database:  1. write an empty list as above  2. RocksDB creates CURRENT  3. the first
//                 log is added. So CURRENT without a list, or a list that names a log without
//                 CURRENT, is damage.
//
// If a step fails, the logs stay as they were: a new log that cannot have been listed is removed
// again, any other stays, empty. The list in memory is then the old one, and the list on disk the
// old or the new one; both keep the invariant, and the next step rewrites it. This also covers a
// list that was read from a cache and is not on disk yet, because every open adds a log before it
// removes any.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <rocksdb/file_system.h>

#include "base/result.h"

namespace orrery::storage {

// On disk. Never change.
inline constexpr std::string_view kWalListName = "WALS";

using LogNumbers = std::set<std::uint64_t>;

// 12 → 000012.log, as in RocksDB, and back; nullopt for other file names.
std::string log_name(std::uint64_t number);
std::optional<std::uint64_t> log_number(std::string_view name);

// The required logs; nullopt if there is no list; kCorrupted if it is damaged.
Result<std::optional<LogNumbers>> read_wal_list(rocksdb::FileSystem& file_system,
                                                const std::string& directory);

// The list of one open database. Thread-safe.
class WalList {
public:
    WalList(std::shared_ptr<rocksdb::FileSystem> file_system, std::string directory);

    // Loads the existing list or creates an empty one. Repeat when the database is reopened:
    // another process may have used it in between.
    Status load();

    // Call for a new, empty log. After an error the log must not be used.
    rocksdb::IOStatus add(std::uint64_t log);

    // Call before removing the log. Also unlists all earlier logs, which are equally unneeded,
    // because logs are replayed from some number on; RocksDB removes the newest first, so one new
    // list is enough.
    rocksdb::IOStatus remove_up_to(std::uint64_t log);

private:
    rocksdb::IOStatus draft(const LogNumbers& logs);
    rocksdb::IOStatus put_in_place(LogNumbers logs);

    const std::shared_ptr<rocksdb::FileSystem> file_system_;
    const std::string directory_;
    std::mutex mutex_;
    LogNumbers logs_;
    // The list on disk may differ from logs_, because replacing it failed.
    bool in_doubt_ = false;
};

}  // namespace orrery::storage
