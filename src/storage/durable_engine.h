// An engine whose medium can be listed, checked, and backed up while partitions are in use: the
// kind that a data directory holds.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/engine.h"

namespace orrery::storage {

// A place in the history of all commits of an engine, which is one sequence.
struct LogMoment {
    std::uint64_t position = 0;  // number of changes so far
    // Microseconds of Unix time; 0 if not known. Commits of one process have different times, in
    // their order, whatever the system's clock does.
    std::int64_t micros = 0;

    bool operator==(const LogMoment&) const = default;
};

struct BackupRequest {
    // Where the files of all backups are kept; equal ones are shared.
    std::string files_directory;
    // The commits go into this file; an existing one is replaced.
    std::string log_file;
    // The commits wanted are those after this position of this history; nothing: only those made
    // during the backup.
    std::string history;
    std::optional<std::uint64_t> log_after;
    // Called now and then with the bytes copied so far; false stops the backup.
    std::function<bool(std::uint64_t bytes)> proceed;
};

struct BackupOutcome {
    std::uint32_t id = 0;  // of the copied files
    // Positions can be compared only within one history. A restored database begins a new one.
    std::string history;
    // The log file has the commits after this one; later than wanted if older ones are gone.
    std::uint64_t log_after = 0;
    // The backup holds every commit up to here, and none after it.
    LogMoment reached;
    std::uint64_t bytes = 0;      // of all its files
    std::uint64_t new_bytes = 0;  // of those that no earlier backup has
    std::uint64_t log_bytes = 0;
};

class DurableEngine : public Engine {
public:
    // The partitions that hold anything, ascending.
    virtual Result<std::vector<PartitionId>> partitions() const = 0;

    // Reads everything on the medium and checks its checksums. kCorrupted, naming the file, if one
    // is wrong.
    virtual Status verify_medium() const = 0;

    // Copies everything to a repository, while commits go on. One backup at a time.
    virtual Result<BackupOutcome> back_up(const BackupRequest& request) = 0;
};

}  // namespace orrery::storage
