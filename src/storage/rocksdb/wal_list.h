// The file WALS beside a database's write-ahead logs says which of them must be there. RocksDB 7.8
// replays the logs it finds; without the list, the oldest or the newest could vanish unnoticed.
//
// The rule is that a listed log exists and that a log with anything to lose is listed, whenever the
// process or the machine stops. Every step is on stable storage before the next:
//
//   A log comes:  1. the empty file is made  2. the directory is synced  3. the new list is drafted
//                 and synced  4. the draft takes the list's place  5. the directory is synced
//                 6. RocksDB gets the file and may write to it.
//                 Stopped before 4 is on disk: an empty log that is not listed, which replays as
//                 nothing. After it: an empty log, listed and there.
//   A log goes:   1. the new list is drafted and synced  2. it takes the list's place  3. the
//                 directory is synced  4. the file is removed. RocksDB removes a log when its
//                 manifest, synced, no longer wants it.
//                 Stopped before 2 is on disk: listed and there. After it: not listed, there or
//                 not; one that is there is ignored and removed by the next open.
//   A database comes:  1. an empty list is put in place as above  2. RocksDB makes CURRENT
//                 3. the first log comes. So CURRENT without a list, and a list that names a log
//                 without CURRENT, are damage.
//
// When a step fails, the logs stay as they were: a new one that cannot have got into the list is
// removed again, any other stays, empty. The list in memory is then the old one and the one on
// disk the old or the new one; both keep the rule, and the next step writes it anew. That also
// covers a list that was read from a cache and is not on disk yet, because every open makes a log
// before it removes any.

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

// 12 → 000012.log, as RocksDB does, and back; nothing for the name of another file.
std::string log_name(std::uint64_t number);
std::optional<std::uint64_t> log_number(std::string_view name);

// The logs that must be there; nothing when there is no list; kCorrupted when it is damaged.
Result<std::optional<LogNumbers>> read_wal_list(rocksdb::FileSystem& file_system,
                                                const std::string& directory);

// The list of one open database. Any thread.
class WalList {
public:
    WalList(std::shared_ptr<rocksdb::FileSystem> file_system, std::string directory);

    // Takes over the list that is there, or makes an empty one. To be repeated when the database is
    // opened again: another process may have had it meanwhile.
    Status load();

    // The log has just been made and is empty. After an error it must not be used.
    rocksdb::IOStatus add(std::uint64_t log);

    // The log is about to be removed. Those before it are as useless, as logs are replayed from
    // some number on; RocksDB removes the newest of them first, so one new list is enough.
    rocksdb::IOStatus remove_up_to(std::uint64_t log);

private:
    rocksdb::IOStatus draft(const LogNumbers& logs);
    rocksdb::IOStatus put_in_place(LogNumbers logs);

    const std::shared_ptr<rocksdb::FileSystem> file_system_;
    const std::string directory_;
    std::mutex mutex_;
    LogNumbers logs_;
    // The list on disk may be another than logs_, because putting one in place failed.
    bool in_doubt_ = false;
};

}  // namespace orrery::storage
