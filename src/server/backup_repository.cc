#include "server/backup_repository.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/files.h"
#include "base/iso_time.h"
#include "server/engine.h"
#include "storage/data_directory.h"
#include "storage/rocksdb/backup_files.h"
#include "storage/rocksdb/rocks_backup.h"

namespace orrery::server {

namespace {

namespace fs = std::filesystem;

// On disk. Increase with any change that earlier versions would misread.
constexpr std::string_view kMarker = "ORRERY-BACKUPS";
constexpr std::string_view kMarkerText = "format = 1\n";
constexpr std::string_view kRecordEnd = ".backup";
constexpr std::string_view kLogEnd = ".commits";
// Of a backup that is being made.
constexpr std::string_view kDraftLog = "new.commits";

// The files of a data directory that belong to it besides the database.
constexpr std::array<std::string_view, 7> kSmallFiles = {"account.key",
                                                         "tls/certificate.pem",
                                                         "tls/key.pem",
                                                         "keys/primary.key",
                                                         "keys/secondary.key",
                                                         "keys/primaryReadonly.key",
                                                         "keys/secondaryReadonly.key"};

Error refused(std::string what) { return Error(ErrorCode::kBadRequest, std::move(what)); }

Error system_error(const std::string& doing) {
    return Error(ErrorCode::kUnavailable, doing + ": " + std::strerror(errno));
}

Error file_error(const std::string& doing, const std::error_code& error) {
    return Error(ErrorCode::kUnavailable, doing + ": " + error.message());
}

// The number that a file's name begins with, if that and the ending are all of it.
std::optional<std::uint32_t> id_of(std::string_view name, std::string_view ending) {
    if (!name.ends_with(ending)) return std::nullopt;
    name.remove_suffix(ending.size());
    std::uint32_t id = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
    return id;
}

Result<std::vector<std::string>> names_in(const std::string& path) {
    std::error_code error;
    std::vector<std::string> names;
    fs::directory_iterator entry(path, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error))
        names.push_back(entry->path().filename().string());
    if (error) return file_error("listing " + path, error);
    return names;
}

// True if there is nothing, or an empty directory.
Result<bool> is_vacant(const std::string& path) {
    std::error_code error;
    if (!fs::exists(path, error)) return true;
    if (!fs::is_directory(path, error)) return false;
    return TRY(names_in(path)).empty();
}

Status check_marker(const std::string& path) {
    const auto marker = read_file(path + "/" + std::string(kMarker));
    if (!marker) return refused("'" + path + "' is not a directory of backups");
    if (*marker == kMarkerText) return {};
    return Error(ErrorCode::kNotImplemented,
                 "'" + path + "' has backups of another version: use a newer server");
}

Status create_repository(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) return file_error("creating " + path, error);
    // Backups contain keys.
    fs::permissions(path, fs::perms::owner_all, error);
    if (error) return file_error("protecting " + path, error);
    return write_private_file(path + "/" + std::string(kMarker), kMarkerText);
}

// The lock ends with the process, however it ends.
Result<int> lock_repository(const std::string& path, bool to_write) {
    const std::string name = path + "/LOCK";
    const int file = ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return system_error("opening " + name);
    if (::flock(file, (to_write ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0) return file;
    const bool busy = errno == EWOULDBLOCK;
    const Error error = system_error("locking " + name);
    ::close(file);
    if (!busy) return error.copy();
    return Error(ErrorCode::kConflict, "the backups in " + path + " are in use by another process");
}

Result<std::vector<SmallFile>> read_small_files(const std::string& directory) {
    std::vector<SmallFile> files;
    for (const std::string_view name : kSmallFiles) {
        const std::string path = directory + "/" + std::string(name);
        std::error_code ignored;
        if (directory.empty() || !fs::exists(path, ignored)) continue;
        files.push_back({.name = std::string(name), .content = TRY(read_file(path))});
    }
    return files;
}

Status write_small_files(const std::string& directory, const std::vector<SmallFile>& files) {
    for (const SmallFile& file : files) {
        const fs::path path = fs::path(directory) / file.name;
        std::error_code error;
        fs::create_directories(path.parent_path(), error);
        if (!error) fs::permissions(path.parent_path(), fs::perms::owner_all, error);
        if (error) return file_error("creating " + path.parent_path().string(), error);
        TRY(write_private_file(path.string(), file.content));
    }
    return {};
}

Status remove_file(const std::string& path) {
    std::error_code error;
    fs::remove(path, error);
    return error ? Status(file_error("removing " + path, error)) : Status();
}

// The directory in which a restore prepares another one. What an interrupted one left is discarded.
Result<storage::DataDirectory> prepare_directory(const std::string& path) {
    auto directory = TRY(storage::open_data_directory(path));
    if (directory.fresh()) return directory;
    { const auto released = std::move(directory); }
    std::error_code error;
    fs::remove_all(path, error);
    if (error) return file_error("removing " + path, error);
    return storage::open_data_directory(path);
}

}  // namespace

Result<BackupRepository> BackupRepository::open_to_write(const std::string& path) {
    if (TRY(is_vacant(path))) TRY(create_repository(path));
    auto repository = TRY(open(path, true));
    TRY(repository.sweep());
    return repository;
}

Result<BackupRepository> BackupRepository::open_to_read(const std::string& path) {
    return open(path, false);
}

Result<BackupRepository> BackupRepository::open(const std::string& path, bool to_write) {
    TRY(check_marker(path));
    BackupRepository repository(path, TRY(lock_repository(path, to_write)));
    TRY(repository.load());
    return repository;
}

Result<std::vector<BackupRecord>> BackupRepository::list(const std::string& path) {
    if (TRY(is_vacant(path))) return std::vector<BackupRecord>();
    TRY(check_marker(path));
    BackupRepository repository(path, -1);
    TRY(repository.load());
    return std::move(repository.backups_);
}

BackupRepository::BackupRepository(BackupRepository&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      backups_(std::move(other.backups_)),
      damaged_(std::move(other.damaged_)) {}

BackupRepository::~BackupRepository() {
    if (lock_ >= 0) ::close(lock_);
}

std::string BackupRepository::record_of(std::uint32_t id) const {
    return fmt::format("{}/{:06}{}", path_, id, kRecordEnd);
}

std::string BackupRepository::log_of(std::uint32_t id) const {
    return fmt::format("{}/{:06}{}", path_, id, kLogEnd);
}

Status BackupRepository::load() {
    for (const std::string& name : TRY(names_in(path_))) {
        const auto id = id_of(name, kRecordEnd);
        if (!id) continue;
        auto record = BackupRecord::decode(TRY(read_file(path_ + "/" + name)));
        if (record && record->id() == *id) {
            backups_.push_back(std::move(record).take());
        } else {
            damaged_.push_back(*id);
        }
    }
    std::sort(backups_.begin(), backups_.end(), [](const auto& a, const auto& b) {
        return a.id() < b.id();
    });
    return {};
}

Status BackupRepository::sweep() {
    std::vector<std::uint32_t> wanted = damaged_;
    for (const BackupRecord& backup : backups_)
        wanted.push_back(backup.id());
    for (const std::string& name : TRY(names_in(path_))) {
        const auto log = id_of(name, kLogEnd);
        const bool unused = log && std::find(wanted.begin(), wanted.end(), *log) == wanted.end();
        if (unused || name == kDraftLog || name.ends_with(".new")) {
            TRY(remove_file(path_ + "/" + name));
        }
    }
    auto files = TRY(storage::BackupFiles::open(files_directory()));
    return files.keep_only(wanted);
}

Result<BackupRecord> BackupRepository::add(const Source& source,
                                           const std::function<bool(std::uint64_t)>& proceed) {
    BackupRecord record;
    record.begun_micros = source.now_micros;
    record.data_format = storage::kDataFormat;
    record.files = TRY(read_small_files(source.data_directory));
    storage::BackupRequest request{.files_directory = files_directory(),
                                   .log_file = path_ + "/" + std::string(kDraftLog),
                                   .history = {},
                                   .log_after = std::nullopt,
                                   .proceed = proceed};
    if (!backups_.empty()) {
        request.history = backups_.back().outcome.history;
        request.log_after = backups_.back().outcome.reached.position;
    }
    record.outcome = TRY(source.engine.back_up(request));
    if (std::rename(request.log_file.c_str(), log_of(record.id()).c_str()) != 0) {
        return system_error("renaming " + request.log_file);
    }
    TRY(write_private_file(record_of(record.id()), record.encode()));
    backups_.push_back(record);
    return record;
}

Result<std::size_t> BackupRepository::keep_newest(std::size_t count) {
    count = std::max<std::size_t>(count, 1);
    if (backups_.size() <= count) return std::size_t{0};
    const std::size_t removed = backups_.size() - count;
    // Without its record it is no backup, and its files are swept now or by the next to write.
    for (std::size_t i = 0; i < removed; ++i)
        TRY(remove_file(record_of(backups_[i].id())));
    TRY(sync_directory(path_));
    backups_.erase(backups_.begin(), backups_.begin() + static_cast<std::ptrdiff_t>(removed));
    TRY(sweep());
    return removed;
}

Status BackupRepository::verify(const BackupRecord& backup) const {
    const auto files = TRY(storage::BackupFiles::open(files_directory()));
    TRY(files.verify(backup.id()));
    return storage::verify_commits(
        log_of(backup.id()),
        {.after = backup.outcome.log_after, .until = backup.outcome.reached.position});
}

Result<std::size_t> BackupRepository::choose(const Wanted& wanted) const {
    for (std::size_t i = backups_.size(); i-- > 0;) {
        const BackupRecord& backup = backups_[i];
        if (wanted.id && *wanted.id != backup.id()) continue;
        if (!wanted.until_micros || backup.outcome.reached.micros <= *wanted.until_micros) return i;
    }
    if (wanted.id) return refused(fmt::format("there is no backup {}", *wanted.id));
    if (backups_.empty()) return refused("there are no backups in " + path_);
    return refused("the oldest backup is of " +
                   print_iso_time(backups_.front().outcome.reached.micros) +
                   "; earlier states cannot be restored");
}

Result<std::vector<std::size_t>> BackupRepository::logs_for(std::size_t base,
                                                            const Wanted& wanted) const {
    std::vector<std::size_t> logs{base};
    const auto reaches = [&] {
        const BackupRecord& last = backups_[logs.back()];
        return !wanted.until_micros || last.outcome.reached.micros >= *wanted.until_micros;
    };
    for (std::size_t next = base + 1; next < backups_.size() && !reaches(); ++next) {
        const BackupRecord& last = backups_[logs.back()];
        if (!backups_[next].continues(last)) {
            return refused(
                fmt::format("the log between backups {} and {} is not there: no state "
                            "between {} and {} can be restored",
                            last.id(),
                            backups_[next].id(),
                            print_iso_time(last.outcome.reached.micros),
                            print_iso_time(backups_[next].outcome.reached.micros)));
        }
        logs.push_back(next);
    }
    if (reaches()) return logs;
    return refused("the newest backup is of " +
                   print_iso_time(backups_[logs.back()].outcome.reached.micros) +
                   "; make another one to restore a later state");
}

Result<BackupRepository::Restored> BackupRepository::restore(
    const Wanted& wanted, const std::string& data_directory) const {
    if (!TRY(is_vacant(data_directory))) {
        return refused("'" + data_directory +
                       "' exists and is not empty; choose another directory");
    }
    fs::path target(data_directory);
    if (!target.has_filename()) target = target.parent_path();
    const std::string draft = target.string() + ".restoring";
    const Restored restored = TRY(restore_into(wanted, draft));
    if (std::rename(draft.c_str(), target.c_str()) != 0) return system_error("renaming " + draft);
    TRY(sync_directory(fs::absolute(target).parent_path().string()));
    return restored;
}

Result<BackupRepository::Restored> BackupRepository::restore_into(const Wanted& wanted,
                                                                  const std::string& path) const {
    const std::size_t base = TRY(choose(wanted));
    const BackupRecord& backup = backups_[base];
    if (backup.data_format > storage::kDataFormat) {
        return Error(ErrorCode::kNotImplemented,
                     fmt::format("backup {} has data of format {}; use a newer server",
                                 backup.id(),
                                 backup.data_format));
    }
    const std::vector<std::size_t> logs = TRY(logs_for(base, wanted));
    storage::DataDirectory directory = TRY(prepare_directory(path));
    storage::RestoreRequest request{.files_directory = files_directory(),
                                    .id = backup.id(),
                                    .log_files = {},
                                    .log_until = backups_[logs.back()].outcome.reached.position,
                                    .until_micros = wanted.until_micros};
    for (const std::size_t log : logs)
        request.log_files.push_back(log_of(backups_[log].id()));
    storage::RocksOptions options = make_engine_options(kSmallEngine);
    options.path = directory.database_path();
    Restored restored{.id = backup.id(),
                      .reached = TRY(storage::restore_rocks(request, options)),
                      .at_micros = wanted.until_micros.value_or(backup.outcome.reached.micros)};
    TRY(write_small_files(path, backup.files));
    TRY(directory.mark_ready());
    return restored;
}

}  // namespace orrery::server
