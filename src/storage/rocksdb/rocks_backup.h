// Backing up an open database, and making one from a backup.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/durable_engine.h"
#include "storage/rocksdb/rocks_engine.h"

namespace orrery::storage {

class RocksDatabase;

Result<BackupOutcome> back_up_rocks(RocksDatabase& database, const BackupRequest& request);

// Reads a file of commits: kCorrupted if it is damaged or does not hold exactly those.
struct CommitRange {
    std::uint64_t after = 0;
    std::uint64_t until = 0;
};
Status verify_commits(const std::string& log_file, const CommitRange& expected);

struct RestoreRequest {
    std::string files_directory;  // as it was for the backup
    std::uint32_t id = 0;
    // The commits of the backup and then those of later ones, without a gap.
    std::vector<std::string> log_files;
    // The position that the last of them ends with.
    std::uint64_t log_until = 0;
    // Leave out the first commit after this time and all that follow it.
    std::optional<std::int64_t> until_micros;
};

// Makes a database at `options.path`, where there must be nothing. Returns its newest commit; the
// time is unknown if that is older than the log.
Result<LogMoment> restore_rocks(const RestoreRequest& request, RocksOptions options);

}  // namespace orrery::storage
