// A directory of backups. Each is complete by itself; files that are the same in several are kept
// once. A backup exists from when its record is written, the last step: whatever an interrupted one
// left is removed by the next that writes to the repository.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/backup_record.h"
#include "storage/durable_engine.h"

namespace orrery::server {

class BackupRepository {
public:
    // Opens one to add backups to it or remove some. Creates it where nothing or an empty directory
    // is. Refuses a directory that is something else, or that another process is writing to.
    static Result<BackupRepository> open_to_write(const std::string& path);
    // Opens one to verify and restore backups; nobody can write to it meanwhile.
    static Result<BackupRepository> open_to_read(const std::string& path);
    // The backups there are, without keeping others from writing.
    static Result<std::vector<BackupRecord>> list(const std::string& path);

    BackupRepository(const BackupRepository&) = delete;
    BackupRepository& operator=(const BackupRepository&) = delete;
    BackupRepository(BackupRepository&& other) noexcept;
    BackupRepository& operator=(BackupRepository&&) = delete;
    ~BackupRepository();

    const std::string& path() const { return path_; }
    // By id, the oldest first.
    const std::vector<BackupRecord>& backups() const { return backups_; }
    // Those whose records cannot be read. They are left alone.
    const std::vector<std::uint32_t>& damaged() const { return damaged_; }

    // Adds a backup of an open engine. `data_directory` is where its small files are; empty: there
    // are none. `proceed` as in storage::BackupRequest.
    struct Source {
        storage::DurableEngine& engine;
        std::string data_directory;
        std::int64_t now_micros = 0;
    };
    Result<BackupRecord> add(const Source& source,
                             const std::function<bool(std::uint64_t)>& proceed);

    // Removes all but the newest ones; returns how many. At least one is kept.
    Result<std::size_t> keep_newest(std::size_t count);

    // Reads all of a backup: its files and its commits.
    Status verify(const BackupRecord& backup) const;

    // What to restore: one backup, the newest state up to a time, or the newest backup.
    struct Wanted {
        std::optional<std::uint32_t> id;
        std::optional<std::int64_t> until_micros;
    };
    struct Restored {
        std::uint32_t id = 0;        // of the backup that it begins with
        storage::LogMoment reached;  // the newest commit in it
        std::int64_t at_micros = 0;  // the state is that of this time
    };
    // Makes a data directory where nothing or an empty directory is. It appears when it is
    // complete.
    Result<Restored> restore(const Wanted& wanted, const std::string& data_directory) const;

private:
    BackupRepository(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

    static Result<BackupRepository> open(const std::string& path, bool to_write);
    Status load();
    Status sweep();
    std::string files_directory() const { return path_ + "/files"; }
    std::string record_of(std::uint32_t id) const;
    std::string log_of(std::uint32_t id) const;
    Result<std::size_t> choose(const Wanted& wanted) const;
    Result<std::vector<std::size_t>> logs_for(std::size_t base, const Wanted& wanted) const;
    Result<Restored> restore_into(const Wanted& wanted, const std::string& directory) const;

    std::string path_;
    int lock_ = -1;
    std::vector<BackupRecord> backups_;
    std::vector<std::uint32_t> damaged_;
};

}  // namespace orrery::server
