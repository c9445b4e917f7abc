#include "storage/rados/rados_file_system.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "storage/rados/rados_files.h"

namespace orrery::storage {

namespace {

constexpr std::chrono::seconds kTrashInterval{5};

bool is_write_ahead_log(const std::string& name) { return name.ends_with(".log"); }
bool is_guarded_log(const std::string& name) {
    return is_write_ahead_log(name) || name.starts_with("MANIFEST-");
}

// Changes of a directory are on the medium when they return.
class SyncedDirectory final : public rocksdb::FSDirectory {
public:
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& /*options*/,
                            rocksdb::IODebugContext* /*debug*/) override {
        return rocksdb::IOStatus::OK();
    }
    rocksdb::IOStatus Close(const rocksdb::IOOptions& /*options*/,
                            rocksdb::IODebugContext* /*debug*/) override {
        return rocksdb::IOStatus::OK();
    }
};

class DirectoryLock final : public rocksdb::FileLock {};

}  // namespace

RadosFileSystem::RadosFileSystem(std::shared_ptr<RadosPool> pool, const Options& options)
    : pool_(std::move(pool)), options_(options), trash_collector_([this] { empty_trash(); }) {}

RadosFileSystem::~RadosFileSystem() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    stop_.notify_all();
    trash_collector_.join();
}

void RadosFileSystem::mount(std::shared_ptr<RadosDirectory> directory) {
    const std::lock_guard lock(mutex_);
    mounts_[directory->name()] = {.directory = directory, .ready = true};
}

void RadosFileSystem::unmount(const std::string& name) {
    const std::lock_guard lock(mutex_);
    mounts_.erase(name);
}

void RadosFileSystem::empty_trash() {
    std::unique_lock lock(mutex_);
    while (!stop_.wait_for(lock, kTrashInterval, [this] { return stopping_; })) {
        std::vector<std::shared_ptr<RadosDirectory>> directories;
        for (const auto& [name, mount] : mounts_)
            directories.push_back(mount.directory);
        lock.unlock();
        for (const auto& directory : directories) {
            const Status emptied =
                directory->empty_trash(directory->now_seconds() - options_.trash_time.count());
            if (!emptied) {
                log::warn("rados_trash",
                          {{"directory", directory->name()}, {"error", emptied.error().message()}});
            }
        }
        directories.clear();
        lock.lock();
    }
}

Result<DatabaseFiles> RadosFileSystem::make_ready(const std::string& path, bool /*may_create*/) {
    const std::string name = split(path).directory;
    const std::shared_ptr<RadosDirectory> directory = TRY(writable(name));
    bool ready = false;
    {
        const std::lock_guard lock(mutex_);
        const auto found = mounts_.find(name);
        if (found != mounts_.end()) ready = std::exchange(found->second.ready, false);
    }
    if (!ready) TRY(directory->renew());

    const auto damaged = [&](const std::string& what) {
        return Error(ErrorCode::kCorrupted, "database " + name + " is damaged: " + what);
    };
    const std::optional<FileEntry> current = directory->find("CURRENT");
    if (!current) {
        // CURRENT is written before the first log, so this is not an interrupted creation.
        for (const std::string& file : directory->names()) {
            if (is_write_ahead_log(file) || file.ends_with(".sst")) {
                return damaged("its CURRENT file is missing");
            }
        }
        return DatabaseFiles::kNone;
    }
    std::string manifest = current->content;
    while (manifest.ends_with('\n')) {
        manifest.pop_back();
    }
    if (!directory->find(manifest)) return damaged("its manifest '" + manifest + "' is missing");
    return DatabaseFiles::kPresent;
}

// "/p00000007/archive/000001.log" → "p00000007" and "archive/000001.log".
RadosFileSystem::Path RadosFileSystem::split(const std::string& path) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        if (end > at) parts.push_back(path.substr(at, end - at));
        at = end + 1;
    }
    Path out;
    if (parts.empty()) return out;
    out.directory = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (i > 1) out.name += '/';
        out.name += parts[i];
    }
    return out;
}

std::shared_ptr<RadosDirectory> RadosFileSystem::mounted(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = mounts_.find(name);
    return found == mounts_.end() ? nullptr : found->second.directory;
}

Result<std::shared_ptr<RadosDirectory>> RadosFileSystem::writable(const std::string& name) const {
    std::shared_ptr<RadosDirectory> directory = mounted(name);
    if (!directory) return Error(ErrorCode::kFenced, name + " has not been acquired");
    return directory;
}

Result<FileEntry> RadosFileSystem::find(const Path& path) const {
    const Error missing(ErrorCode::kNotFound, path.directory + " has no file " + path.name);
    if (const auto directory = mounted(path.directory)) {
        std::optional<FileEntry> entry = directory->find(path.name);
        if (!entry) return missing.copy();
        return *std::move(entry);
    }
    const std::string key = file_key(path.name);
    const RadosPool::Contents contents = TRY(pool_->contents_of(path.directory, key));
    const auto found = contents.keys.find(key);
    if (found == contents.keys.end()) return missing.copy();
    return decode_entry(found->second);
}

rocksdb::IOStatus RadosFileSystem::NewSequentialFile(
    const std::string& path,
    const rocksdb::FileOptions& /*options*/,
    std::unique_ptr<rocksdb::FSSequentialFile>* file,
    rocksdb::IODebugContext* /*debug*/) {
    const Path at = split(path);
    Result<FileEntry> entry = find(at);
    if (!entry) return to_io_status(entry.error().copy());
    *file = make_sequential_reader(pool_, at.directory, std::move(entry).take());
    return rocksdb::IOStatus::OK();
}

rocksdb::IOStatus RadosFileSystem::NewRandomAccessFile(
    const std::string& path,
    const rocksdb::FileOptions& /*options*/,
    std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
    rocksdb::IODebugContext* /*debug*/) {
    const Path at = split(path);
    Result<FileEntry> entry = find(at);
    if (!entry) return to_io_status(entry.error().copy());
    *file = make_random_reader(pool_, at.directory, std::move(entry).take());
    return rocksdb::IOStatus::OK();
}

rocksdb::IOStatus RadosFileSystem::NewWritableFile(const std::string& path,
                                                   const rocksdb::FileOptions& /*options*/,
                                                   std::unique_ptr<rocksdb::FSWritableFile>* file,
                                                   rocksdb::IODebugContext* /*debug*/) {
    const Path at = split(path);
    auto directory = writable(at.directory);
    if (!directory) return to_io_status(directory.error().copy());
    if (!is_guarded_log(at.name)) {
        *file = make_file_writer(*directory, at.name);
        return rocksdb::IOStatus::OK();
    }
    FileEntry entry;
    entry.kind = FileEntry::Kind::kLog;
    entry.id = (*directory)->new_id();
    entry.modified_seconds = (*directory)->now_seconds();
    // The object first: whoever finds the entry can rely on the object.
    Status made = (*directory)->create_log(entry.id);
    if (made) made = (*directory)->put(at.name, entry);
    if (!made) return to_io_status(made);
    *file = make_log_writer(
        *directory, at.name, entry.id, is_write_ahead_log(at.name) ? log_syncs_ : nullptr);
    return rocksdb::IOStatus::OK();
}

rocksdb::IOStatus RadosFileSystem::ReuseWritableFile(
    const std::string& /*path*/,
    const std::string& /*old_path*/,
    const rocksdb::FileOptions& /*options*/,
    std::unique_ptr<rocksdb::FSWritableFile>* /*file*/,
    rocksdb::IODebugContext* /*debug*/) {
    return rocksdb::IOStatus::NotSupported("logs are not reused");
}

rocksdb::IOStatus RadosFileSystem::NewDirectory(const std::string& /*path*/,
                                                const rocksdb::IOOptions& /*options*/,
                                                std::unique_ptr<rocksdb::FSDirectory>* directory,
                                                rocksdb::IODebugContext* /*debug*/) {
    *directory = std::make_unique<SyncedDirectory>();
    return rocksdb::IOStatus::OK();
}

rocksdb::IOStatus RadosFileSystem::FileExists(const std::string& path,
                                              const rocksdb::IOOptions& /*options*/,
                                              rocksdb::IODebugContext* /*debug*/) {
    const Path at = split(path);
    if (!at.name.empty()) {
        const Result<FileEntry> entry = find(at);
        return entry ? rocksdb::IOStatus::OK() : to_io_status(entry.error().copy());
    }
    if (mounted(at.directory)) return rocksdb::IOStatus::OK();
    const auto owner = RadosDirectory::owner_of(*pool_, at.directory);
    if (!owner) return to_io_status(owner.error().copy());
    return *owner ? rocksdb::IOStatus::OK() : rocksdb::IOStatus::NotFound(path);
}

rocksdb::IOStatus RadosFileSystem::GetChildren(const std::string& path,
                                               const rocksdb::IOOptions& /*options*/,
                                               std::vector<std::string>* names,
                                               rocksdb::IODebugContext* /*debug*/) {
    const Path at = split(path);
    const std::string prefix = at.name.empty() ? "" : at.name + "/";
    std::vector<std::string> found;
    if (const auto directory = mounted(at.directory)) {
        found = directory->names(prefix);
    } else {
        const auto contents = pool_->contents_of(at.directory, file_key(prefix));
        if (!contents) return to_io_status(contents.error().copy());
        for (const auto& [key, value] : contents->keys)
            found.emplace_back(*file_of_key(key));
    }
    names->clear();
    for (const std::string& name : found) {
        const std::string child = name.substr(prefix.size());
        if (child.find('/') == std::string::npos) names->push_back(child);
    }
    // A directory below another exists as long as it has files.
    if (!prefix.empty() && names->empty()) return rocksdb::IOStatus::NotFound(path);
    return rocksdb::IOStatus::OK();
}

rocksdb::IOStatus RadosFileSystem::DeleteFile(const std::string& path,
                                              const rocksdb::IOOptions& /*options*/,
                                              rocksdb::IODebugContext* /*debug*/) {
    const Path at = split(path);
    const auto directory = writable(at.directory);
    if (!directory) return to_io_status(directory.error().copy());
    return to_io_status((*directory)->remove(at.name));
}

rocksdb::IOStatus RadosFileSystem::CreateDir(const std::string& path,
                                             const rocksdb::IOOptions& options,
                                             rocksdb::IODebugContext* debug) {
    return CreateDirIfMissing(path, options, debug);
}

rocksdb::IOStatus RadosFileSystem::CreateDirIfMissing(const std::string& path,
                                                      const rocksdb::IOOptions& /*options*/,
                                                      rocksdb::IODebugContext* /*debug*/) {
    const auto directory = writable(split(path).directory);
    return directory ? rocksdb::IOStatus::OK() : to_io_status(directory.error().copy());
}

rocksdb::IOStatus RadosFileSystem::DeleteDir(const std::string& path,
                                             const rocksdb::IOOptions& /*options*/,
                                             rocksdb::IODebugContext* /*debug*/) {
    // Directories below others go with their last file.
    return split(path).name.empty() ? rocksdb::IOStatus::NotSupported("removing " + path)
                                    : rocksdb::IOStatus::OK();
}

rocksdb::IOStatus RadosFileSystem::GetFileSize(const std::string& path,
                                               const rocksdb::IOOptions& /*options*/,
                                               std::uint64_t* size,
                                               rocksdb::IODebugContext* /*debug*/) {
    const Path at = split(path);
    const Result<FileEntry> entry = find(at);
    if (!entry) return to_io_status(entry.error().copy());
    *size = entry->size;
    // Of logs that others are writing, only the object knows the size.
    if (entry->sealed || entry->kind != FileEntry::Kind::kLog || mounted(at.directory)) {
        return rocksdb::IOStatus::OK();
    }
    const auto found = pool_->size_of(object_name(at.directory, entry->id));
    if (!found) return to_io_status(found.error().copy());
    *size = *found;
    return rocksdb::IOStatus::OK();
}

rocksdb::IOStatus RadosFileSystem::GetFileModificationTime(const std::string& path,
                                                           const rocksdb::IOOptions& /*options*/,
                                                           std::uint64_t* seconds,
                                                           rocksdb::IODebugContext* /*debug*/) {
    const Result<FileEntry> entry = find(split(path));
    if (!entry) return to_io_status(entry.error().copy());
    *seconds = static_cast<std::uint64_t>(entry->modified_seconds);
    return rocksdb::IOStatus::OK();
}

rocksdb::IOStatus RadosFileSystem::RenameFile(const std::string& from,
                                              const std::string& to,
                                              const rocksdb::IOOptions& /*options*/,
                                              rocksdb::IODebugContext* /*debug*/) {
    const Path source = split(from);
    const Path target = split(to);
    if (source.directory != target.directory) {
        return rocksdb::IOStatus::NotSupported("moving files between directories");
    }
    const auto directory = writable(source.directory);
    if (!directory) return to_io_status(directory.error().copy());
    return to_io_status((*directory)->rename(source.name, target.name));
}

rocksdb::IOStatus RadosFileSystem::LinkFile(const std::string& from,
                                            const std::string& to,
                                            const rocksdb::IOOptions& /*options*/,
                                            rocksdb::IODebugContext* /*debug*/) {
    const Path source = split(from);
    const Path target = split(to);
    if (source.directory != target.directory) {
        return rocksdb::IOStatus::NotSupported("linking files between directories");
    }
    const auto directory = writable(source.directory);
    if (!directory) return to_io_status(directory.error().copy());
    return to_io_status((*directory)->link(source.name, target.name));
}

rocksdb::IOStatus RadosFileSystem::LockFile(const std::string& path,
                                            const rocksdb::IOOptions& /*options*/,
                                            rocksdb::FileLock** lock,
                                            rocksdb::IODebugContext* /*debug*/) {
    const auto directory = writable(split(path).directory);
    if (!directory) return to_io_status(directory.error().copy());
    *lock = std::make_unique<DirectoryLock>().release();
    return rocksdb::IOStatus::OK();
}

rocksdb::IOStatus RadosFileSystem::UnlockFile(rocksdb::FileLock* lock,
                                              const rocksdb::IOOptions& /*options*/,
                                              rocksdb::IODebugContext* /*debug*/) {
    const std::unique_ptr<rocksdb::FileLock> released(lock);
    return rocksdb::IOStatus::OK();
}

rocksdb::IOStatus RadosFileSystem::GetTestDirectory(const rocksdb::IOOptions& /*options*/,
                                                    std::string* /*path*/,
                                                    rocksdb::IODebugContext* /*debug*/) {
    return rocksdb::IOStatus::NotSupported("test directories");
}

rocksdb::IOStatus RadosFileSystem::NewLogger(const std::string& /*path*/,
                                             const rocksdb::IOOptions& /*options*/,
                                             std::shared_ptr<rocksdb::Logger>* /*logger*/,
                                             rocksdb::IODebugContext* /*debug*/) {
    return rocksdb::IOStatus::NotSupported("RocksDB's log goes to the server's");
}

rocksdb::IOStatus RadosFileSystem::GetAbsolutePath(const std::string& path,
                                                   const rocksdb::IOOptions& /*options*/,
                                                   std::string* absolute,
                                                   rocksdb::IODebugContext* /*debug*/) {
    const Path at = split(path);
    *absolute = "/" + at.directory + (at.name.empty() ? "" : "/" + at.name);
    return rocksdb::IOStatus::OK();
}

rocksdb::IOStatus RadosFileSystem::IsDirectory(const std::string& path,
                                               const rocksdb::IOOptions& /*options*/,
                                               bool* is_directory,
                                               rocksdb::IODebugContext* /*debug*/) {
    *is_directory = split(path).name.empty();
    return rocksdb::IOStatus::OK();
}

rocksdb::FileOptions RadosFileSystem::OptimizeForLogWrite(
    const rocksdb::FileOptions& options, const rocksdb::DBOptions& database) const {
    rocksdb::FileOptions chosen = FileSystem::OptimizeForLogWrite(options, database);
    chosen.writable_file_max_buffer_size = 0;
    return chosen;
}

rocksdb::FileOptions RadosFileSystem::OptimizeForManifestWrite(
    const rocksdb::FileOptions& options) const {
    rocksdb::FileOptions chosen = FileSystem::OptimizeForManifestWrite(options);
    chosen.writable_file_max_buffer_size = 0;
    return chosen;
}

}  // namespace orrery::storage
