#include "storage/rados/rados_directory.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace orrery::storage {

namespace {

// Several nodes that want the same directory at the same moment.
constexpr int kTakeAttempts = 10;

// A file that was never completed may have any of its chunks: as many are written at a time.
constexpr std::uint64_t kUnsealedChunksAtOnce = 16;

Error other_owner(const std::string& name, const std::string& owner) {
    return Error(ErrorCode::kPreconditionFailed, name + " belongs to " + owner).with_info(owner);
}

Error fenced(const std::string& name) {
    return Error(ErrorCode::kFenced, name + " belongs to another owner now");
}

Result<DirectoryOwner> owner_in(const std::map<std::string, std::string>& attributes,
                                const std::string& name) {
    const auto epoch = attributes.find(kEpochAttribute);
    const auto owner = attributes.find(kOwnerAttribute);
    const auto number = epoch == attributes.end() ? std::nullopt : from_hex(epoch->second);
    if (!number || owner == attributes.end()) {
        return Error(ErrorCode::kCorrupted, "directory object " + name + " is damaged");
    }
    return DirectoryOwner{.owner = owner->second, .epoch = *number};
}

}  // namespace

Result<std::optional<DirectoryOwner>> RadosDirectory::owner_of(RadosPool& pool,
                                                               const std::string& name) {
    const auto attributes = pool.attributes_of(name);
    if (!attributes && attributes.error().code() == ErrorCode::kNotFound) {
        return std::optional<DirectoryOwner>();
    }
    if (!attributes) return attributes.error().copy();
    return std::optional(TRY(owner_in(*attributes, name)));
}

// Returns the new epoch.
Result<std::uint64_t> RadosDirectory::take(RadosPool& pool,
                                           const Clock& clock,
                                           const std::string& name,
                                           const std::string& owner,
                                           const std::string& replacing) {
    for (int attempt = 0; attempt < kTakeAttempts; ++attempt) {
        const std::optional<DirectoryOwner> before = TRY(owner_of(pool, name));
        RadosChange change(pool);
        std::uint64_t epoch = 0;
        if (before) {
            const std::string& present = before->owner;
            if (!present.empty() && present != owner && present != replacing) {
                return other_owner(name, present);
            }
            epoch = before->epoch + 1;
            change.require_attribute(kEpochAttribute, to_hex(before->epoch));
        } else {
            // A directory that is removed and created again must not repeat an epoch.
            epoch = static_cast<std::uint64_t>(std::chrono::microseconds(clock.now()).count());
            change.require_new();
        }
        change.set_attribute(kEpochAttribute, to_hex(epoch)).set_attribute(kOwnerAttribute, owner);
        const Status taken = pool.apply(name, std::move(change));
        if (taken) return epoch;
        const ErrorCode code = taken.error().code();
        if (code != ErrorCode::kPreconditionFailed && code != ErrorCode::kConflict &&
            code != ErrorCode::kNotFound) {
            return taken.error().copy();
        }
    }
    return Error(ErrorCode::kUnavailable, name + " keeps changing its owner");
}

Result<std::shared_ptr<RadosDirectory>> RadosDirectory::acquire(std::shared_ptr<RadosPool> pool,
                                                                const Clock& clock,
                                                                const std::string& name,
                                                                const std::string& owner,
                                                                const std::string& replacing) {
    CHECK(!owner.empty());
    const std::uint64_t epoch = TRY(take(*pool, clock, name, owner, replacing));
    auto directory = std::make_shared<RadosDirectory>(std::move(pool), clock, name, owner);
    TRY(directory->load(epoch));
    return directory;
}

Status RadosDirectory::destroy(std::shared_ptr<RadosPool> pool,
                               const Clock& clock,
                               const std::string& name,
                               const std::string& owner,
                               const std::string& replacing) {
    // Does not create it only to remove it again.
    if (!TRY(owner_of(*pool, name))) return {};
    const std::uint64_t epoch = TRY(take(*pool, clock, name, owner, replacing));
    const RadosPool::Contents contents = TRY(pool->contents_of(name));
    for (const auto& [key, value] : contents.keys) {
        const FileEntry entry = TRY(decode_entry(value));
        TRY(remove_objects(*pool, name, entry));
    }
    RadosChange change(*pool);
    change.require_attribute(kEpochAttribute, to_hex(epoch)).remove();
    Status removed = pool->apply(name, std::move(change));
    if (!removed && removed.error().code() == ErrorCode::kPreconditionFailed) return fenced(name);
    return removed;
}

RadosDirectory::RadosDirectory(std::shared_ptr<RadosPool> pool,
                               const Clock& clock,
                               std::string name,
                               std::string owner)
    : pool_(std::move(pool)), clock_(clock), name_(std::move(name)), owner_(std::move(owner)) {}

std::uint64_t RadosDirectory::epoch() const {
    const std::lock_guard lock(mutex_);
    return epoch_;
}

bool RadosDirectory::is_fenced() const {
    const std::lock_guard lock(mutex_);
    return fenced_;
}

Status RadosDirectory::load(std::uint64_t epoch) {
    const RadosPool::Contents contents = TRY(pool_->contents_of(name_));
    const DirectoryOwner now = TRY(owner_in(contents.attributes, name_));
    if (now.epoch != epoch || now.owner != owner_) return fenced(name_);
    Files files;
    std::map<std::string, FileEntry> trash;
    for (const auto& [key, value] : contents.keys) {
        FileEntry entry = TRY(decode_entry(value));
        if (const auto name = file_of_key(key)) {
            files.emplace(*name, std::move(entry));
        } else {
            trash.emplace(key, std::move(entry));
        }
    }
    Sealed sealed = TRY(settle_logs(files, epoch));
    const std::lock_guard lock(mutex_);
    epoch_ = epoch;
    last_file_ = 0;
    to_seal_ = std::move(sealed);
    files_ = std::move(files);
    trash_ = std::move(trash);
    fenced_ = false;
    in_doubt_ = false;
    return {};
}

// Ends all appends of earlier epochs: those that are still on their way fail when they arrive. Then
// the sizes are final.
Result<RadosDirectory::Sealed> RadosDirectory::settle_logs(Files& files, std::uint64_t epoch) {
    const std::string stamp = to_hex(epoch);
    Sealed sealed;
    RadosWait stamps;
    for (const auto& [name, entry] : files) {
        if (entry.kind != FileEntry::Kind::kLog || entry.sealed) continue;
        sealed.emplace(name, entry.id);
        RadosChange change(*pool_);
        change.require_attribute_at_most(kEpochAttribute, stamp)
            .set_attribute(kEpochAttribute, stamp);
        pool_->start(object_name(name_, entry.id), std::move(change), stamps.one());
    }
    const Status stamped = stamps.all();
    if (!stamped) {
        const ErrorCode code = stamped.error().code();
        if (code == ErrorCode::kPreconditionFailed) return fenced(name_);
        if (code == ErrorCode::kNotFound) {
            return Error(ErrorCode::kCorrupted,
                         "a log of " + name_ + " is missing: " + stamped.error().message());
        }
        return stamped.error().copy();
    }
    for (const auto& [name, id] : sealed) {
        FileEntry& entry = files.find(name)->second;
        entry.size = TRY(pool_->size_of(object_name(name_, id)));
        entry.sealed = true;
    }
    return sealed;
}

Status RadosDirectory::renew() {
    const std::lock_guard changing(changing_);
    const std::optional<DirectoryOwner> before = TRY(owner_of(*pool_, name_));
    if (!before || before->owner != owner_) {
        const std::lock_guard lock(mutex_);
        fenced_ = true;
        return fenced(name_);
    }
    {
        // From here on the epoch may be raised without its files having been read.
        const std::lock_guard lock(mutex_);
        in_doubt_ = true;
    }
    const std::uint64_t epoch = before->epoch + 1;
    RadosChange change(*pool_);
    change.require_attribute(kEpochAttribute, to_hex(before->epoch))
        .set_attribute(kEpochAttribute, to_hex(epoch));
    TRY(fence(pool_->apply(name_, std::move(change)), "raising the epoch"));
    return load(epoch);
}

Status RadosDirectory::release() {
    const std::lock_guard changing(changing_);
    RadosChange change(*pool_);
    change.require_attribute(kEpochAttribute, to_hex(epoch())).set_attribute(kOwnerAttribute, "");
    Status released = fence(pool_->apply(name_, std::move(change)), "releasing");
    const std::lock_guard lock(mutex_);
    fenced_ = true;
    return released;
}

FileId RadosDirectory::new_id() { return {.epoch = epoch(), .number = ++last_file_}; }

std::optional<FileEntry> RadosDirectory::find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(name);
    if (found == files_.end()) return std::nullopt;
    return found->second;
}

std::vector<std::string> RadosDirectory::names(std::string_view prefix) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> found;
    for (auto at = files_.lower_bound(prefix); at != files_.end() && at->first.starts_with(prefix);
         ++at) {
        found.push_back(at->first);
    }
    return found;
}

std::uint64_t RadosDirectory::bytes() const {
    const std::lock_guard lock(mutex_);
    std::uint64_t total = 0;
    for (const auto& [name, entry] : files_)
        total += entry.size;
    return total;
}

// What goes to the trash when the name is given up for another file: nothing if the file is not
// there, has no objects, is the new one, or has another name as well.
RadosDirectory::Trash RadosDirectory::trash_of(std::string_view name,
                                               const std::optional<FileId>& successor) const {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(name);
    if (found == files_.end() || found->second.kind == FileEntry::Kind::kInline) return {};
    const FileId& id = found->second.id;
    const bool stays =
        id == successor || std::any_of(files_.begin(), files_.end(), [&](const auto& file) {
            return file.first != name && file.second.id == id;
        });
    if (stays) return {};
    return {{trash_key(now_seconds(), id), found->second}};
}

RadosDirectory::Keys RadosDirectory::keys_of(const Trash& trash) {
    Keys keys;
    for (const auto& [key, entry] : trash)
        keys.emplace(key, encode(entry));
    return keys;
}

// The caller holds changing_.
Status RadosDirectory::change(const Keys& set, const std::vector<std::string>& removed) {
    Keys keys = set;
    std::string epoch;
    Sealed sealed;
    {
        const std::lock_guard lock(mutex_);
        if (fenced_) return fenced(name_);
        if (in_doubt_) {
            return Error(ErrorCode::kUnavailable, name_ + " is in doubt after a time-out");
        }
        epoch = to_hex(epoch_);
        sealed = to_seal_;
        for (const auto& [name, id] : sealed) {
            const auto found = files_.find(name);
            const std::string key = file_key(name);
            if (found == files_.end() || found->second.id != id || keys.contains(key) ||
                std::find(removed.begin(), removed.end(), key) != removed.end()) {
                continue;
            }
            keys.emplace(key, encode(found->second));
        }
    }
    RadosChange change(*pool_);
    change.require_attribute(kEpochAttribute, epoch).set_keys(keys).remove_keys(removed);
    TRY(fence(pool_->apply(name_, std::move(change)), "changing the directory"));
    const std::lock_guard lock(mutex_);
    for (const auto& [name, id] : sealed) {
        const auto found = to_seal_.find(name);
        if (found != to_seal_.end() && found->second == id) to_seal_.erase(found);
    }
    return {};
}

// Remembers what an outcome says about the directory.
Status RadosDirectory::fence(Status outcome, const char* doing) {
    if (outcome) return {};
    const ErrorCode code = outcome.error().code();
    const std::lock_guard lock(mutex_);
    if (code == ErrorCode::kTimeout) in_doubt_ = true;
    if (code == ErrorCode::kPreconditionFailed || code == ErrorCode::kNotFound ||
        code == ErrorCode::kConflict || code == ErrorCode::kFenced) {
        fenced_ = true;
        return fenced(name_);
    }
    return std::move(outcome).take_error().with_context(doing);
}

Status RadosDirectory::put(std::string_view name, const FileEntry& entry) {
    const std::lock_guard changing(changing_);
    if (entry.id.epoch != epoch()) return fenced(name_);
    Trash replaced = trash_of(name, entry.id);
    Keys set = keys_of(replaced);
    set.emplace(file_key(name), encode(entry));
    TRY(change(set, {}));
    const std::lock_guard lock(mutex_);
    files_.insert_or_assign(std::string(name), entry);
    trash_.merge(replaced);
    return {};
}

Status RadosDirectory::rename(std::string_view from, std::string_view to) {
    const std::lock_guard changing(changing_);
    const std::optional<FileEntry> moved = find(from);
    if (!moved) return Error(ErrorCode::kNotFound, name_ + " has no file " + std::string(from));
    Trash replaced = trash_of(to, moved->id);
    Keys set = keys_of(replaced);
    set.emplace(file_key(to), encode(*moved));
    TRY(change(set, {file_key(from)}));
    const std::lock_guard lock(mutex_);
    files_.erase(files_.find(from));
    files_.insert_or_assign(std::string(to), *moved);
    trash_.merge(replaced);
    return {};
}

Status RadosDirectory::link(std::string_view from, std::string_view to) {
    const std::lock_guard changing(changing_);
    const std::optional<FileEntry> linked = find(from);
    if (!linked) return Error(ErrorCode::kNotFound, name_ + " has no file " + std::string(from));
    if (find(to)) return Error(ErrorCode::kConflict, name_ + " has a file " + std::string(to));
    TRY(change({{file_key(to), encode(*linked)}}, {}));
    const std::lock_guard lock(mutex_);
    files_.emplace(to, *linked);
    return {};
}

Status RadosDirectory::remove(std::string_view name) {
    const std::lock_guard changing(changing_);
    const std::optional<FileEntry> entry = find(name);
    if (!entry) return Error(ErrorCode::kNotFound, name_ + " has no file " + std::string(name));
    Trash removed = trash_of(name, std::nullopt);
    TRY(change(keys_of(removed), {file_key(name)}));
    const std::lock_guard lock(mutex_);
    files_.erase(files_.find(name));
    trash_.merge(removed);
    return {};
}

void RadosDirectory::grow(std::string_view name, const FileId& id, std::uint64_t size, bool seal) {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(name);
    if (found == files_.end() || found->second.id != id) return;
    found->second.size = size;
    if (!seal) return;
    found->second.sealed = true;
    to_seal_.insert_or_assign(std::string(name), id);
}

Status RadosDirectory::create_log(const FileId& id) {
    RadosChange change(*pool_);
    change.require_new().set_attribute(kEpochAttribute, to_hex(id.epoch));
    return fence(pool_->apply(object_name(name_, id), std::move(change)), "creating a log");
}

Status RadosDirectory::append(const FileId& id, std::uint64_t offset, std::string_view bytes) {
    RadosChange change(*pool_);
    change.require_attribute(kEpochAttribute, to_hex(id.epoch)).write(offset, bytes);
    Status outcome = pool_->apply(object_name(name_, id), std::move(change));
    // A log of before the last renew() says nothing about the directory of now.
    if (!outcome && outcome.error().code() != ErrorCode::kTimeout && id.epoch != epoch()) {
        return fenced(name_);
    }
    // Unlike that of the directory, the outcome of an append is for the database to find out.
    if (!outcome && outcome.error().code() == ErrorCode::kTimeout) return outcome;
    return fence(std::move(outcome), "appending");
}

Status RadosDirectory::empty_trash(std::int64_t removed_before) {
    std::vector<std::pair<std::string, FileEntry>> due;
    {
        const std::lock_guard lock(mutex_);
        if (fenced_ || in_doubt_) return {};
        for (const auto& [key, entry] : trash_) {
            if (removed_seconds_of_key(key).value_or(0) < removed_before)
                due.emplace_back(key, entry);
        }
    }
    if (due.empty()) return {};
    std::vector<std::string> keys;
    for (const auto& [key, entry] : due) {
        TRY(remove_objects(*pool_, name_, entry));
        keys.push_back(key);
    }
    const std::lock_guard changing(changing_);
    TRY(change({}, keys));
    const std::lock_guard lock(mutex_);
    for (const std::string& key : keys)
        trash_.erase(key);
    return {};
}

namespace {

// True if any of the objects was there.
Result<bool> remove_all(RadosPool& pool, const std::vector<std::string>& names) {
    std::atomic<std::size_t> missing = 0;
    RadosWait wait;
    for (const std::string& name : names) {
        RadosChange change(pool);
        change.remove();
        pool.start(name, std::move(change), [&missing, done = wait.one()](Status outcome) {
            if (!outcome && outcome.error().code() == ErrorCode::kNotFound) {
                ++missing;
                outcome = {};
            }
            done(std::move(outcome));
        });
    }
    TRY(wait.all());
    return missing < names.size();
}

}  // namespace

Status remove_objects(RadosPool& pool, const std::string& directory, const FileEntry& entry) {
    if (entry.kind == FileEntry::Kind::kInline) return {};
    if (entry.kind == FileEntry::Kind::kLog) {
        TRY(remove_all(pool, {object_name(directory, entry.id)}));
        return {};
    }
    const std::uint64_t known = (entry.size + kChunkBytes - 1) / kChunkBytes;
    for (std::uint64_t chunk = 0;; chunk += kUnsealedChunksAtOnce) {
        if (entry.sealed && chunk >= known) return {};
        const std::uint64_t end = entry.sealed ? std::min(known, chunk + kUnsealedChunksAtOnce)
                                               : chunk + kUnsealedChunksAtOnce;
        std::vector<std::string> names;
        for (std::uint64_t i = chunk; i < end; ++i)
            names.push_back(chunk_name(directory, entry.id, i));
        const bool found = TRY(remove_all(pool, names));
        if (!entry.sealed && !found) return {};
    }
}

}  // namespace orrery::storage
