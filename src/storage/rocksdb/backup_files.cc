#include "storage/rocksdb/backup_files.h"

#include <algorithm>
#include <set>
#include <utility>

#include <rocksdb/env.h>
#include <rocksdb/utilities/backup_engine.h>

#include "storage/rocksdb/rocks_status.h"

namespace orrery::storage {

namespace {

constexpr std::uint64_t kProgressBytes = std::uint64_t{1} << 20;

std::set<std::string> names_of(const std::vector<rocksdb::BackupInfo>& backups) {
    std::set<std::string> names;
    for (const rocksdb::BackupInfo& backup : backups) {
        for (const rocksdb::BackupFileInfo& file : backup.file_details)
            names.insert(file.relative_filename);
    }
    return names;
}

// A file that should be there and is not has been lost.
Status to_damage(const rocksdb::Status& status, const std::string& doing) {
    if (status.IsNotFound() || status.IsPathNotFound()) {
        return Error(ErrorCode::kCorrupted, doing + ": " + status.ToString());
    }
    return to_status(status, doing);
}

}  // namespace

Result<BackupFiles> BackupFiles::open(const std::string& directory, rocksdb::Env* source) {
    rocksdb::Env* const local = rocksdb::Env::Default();
    rocksdb::BackupEngineOptions options(directory, local);
    options.callback_trigger_interval_size = kProgressBytes;
    rocksdb::BackupEngine* engine = nullptr;
    TRY(to_status(rocksdb::BackupEngine::Open(options, source != nullptr ? source : local, &engine),
                  "opening backups in " + directory));
    return BackupFiles(directory, std::unique_ptr<rocksdb::BackupEngine>(engine));
}

BackupFiles::BackupFiles(std::string directory, std::unique_ptr<rocksdb::BackupEngine> engine)
    : directory_(std::move(directory)), engine_(std::move(engine)) {}
BackupFiles::BackupFiles(BackupFiles&&) noexcept = default;
BackupFiles& BackupFiles::operator=(BackupFiles&&) noexcept = default;
BackupFiles::~BackupFiles() = default;

Result<BackupFiles::Copy> BackupFiles::add(rocksdb::DB& db,
                                           const std::function<bool(std::uint64_t)>& proceed) {
    std::vector<rocksdb::BackupInfo> before;
    engine_->GetBackupInfo(&before, true);
    rocksdb::CreateBackupOptions options;
    // What is in memory becomes a table, which later backups share. Logs would be copied each time.
    options.flush_before_backup = true;
    options.decrease_background_thread_cpu_priority = true;
    options.background_thread_cpu_priority = rocksdb::CpuPriority::kLow;
    std::uint64_t copied = 0;
    options.progress_callback = [&] {
        copied += kProgressBytes;
        if (proceed && !proceed(copied)) engine_->StopBackup();
    };
    Copy copy;
    TRY(to_status(engine_->CreateNewBackup(options, &db, &copy.id), "copying to " + directory_));
    rocksdb::BackupInfo made;
    TRY(to_status(engine_->GetBackupInfo(copy.id, &made, true), "copying to " + directory_));
    copy.bytes = made.size;
    const std::set<std::string> shared = names_of(before);
    for (const rocksdb::BackupFileInfo& file : made.file_details) {
        if (!shared.contains(file.relative_filename)) copy.new_bytes += file.size;
    }
    return copy;
}

std::vector<std::uint32_t> BackupFiles::ids() const {
    std::vector<rocksdb::BackupInfo> backups;
    engine_->GetBackupInfo(&backups);
    std::vector<std::uint32_t> ids;
    ids.reserve(backups.size());
    for (const rocksdb::BackupInfo& backup : backups) {
        ids.push_back(backup.backup_id);
    }
    return ids;
}

Status BackupFiles::verify(std::uint32_t id) const {
    return to_damage(engine_->VerifyBackup(id, true), "verifying backup " + std::to_string(id));
}

Status BackupFiles::keep_only(const std::vector<std::uint32_t>& wanted) {
    std::vector<std::uint32_t> unwanted = ids();
    std::vector<rocksdb::BackupID> damaged;
    engine_->GetCorruptedBackups(&damaged);
    unwanted.insert(unwanted.end(), damaged.begin(), damaged.end());
    for (const std::uint32_t id : unwanted) {
        if (std::find(wanted.begin(), wanted.end(), id) != wanted.end()) continue;
        TRY(to_status(engine_->DeleteBackup(id), "removing backup " + std::to_string(id)));
    }
    return to_status(engine_->GarbageCollect(), "cleaning up " + directory_);
}

Status BackupFiles::restore(std::uint32_t id, const std::string& directory) const {
    return to_damage(engine_->RestoreDBFromBackup(id, directory, directory),
                     "restoring backup " + std::to_string(id));
}

}  // namespace orrery::storage
