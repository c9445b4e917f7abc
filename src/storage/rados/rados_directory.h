// The directory of one database, owned: one RADOS object with an epoch, an owner, and an entry for
// each file. Every change is one atomic operation that is guarded by the epoch. A new owner raises
// the epoch and stamps it on all logs that could still be appended to; from then on, the earlier
// owner cannot change a byte: it is fenced.
//
// A change that ends in a time-out may have been made, or be made later. The directory is in doubt
// then and refuses changes; renew() fences the owner's own operations and reads what is there.

#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "storage/rados/file_entry.h"
#include "storage/rados/rados_pool.h"

namespace orrery::storage {

struct DirectoryOwner {
    std::string owner;  // empty: nobody, it was released
    std::uint64_t epoch = 0;
};

// Attributes of a directory object. On disk.
inline constexpr const char* kEpochAttribute = "epoch";  // also of logs
inline constexpr const char* kOwnerAttribute = "owner";

class RadosDirectory {
public:
    // Nothing if there is no such directory.
    static Result<std::optional<DirectoryOwner>> owner_of(RadosPool& pool, const std::string& name);

    // Fences all others and reads the files; creates the directory if it is missing. If it belongs
    // to another than `owner` and `replacing`: kPreconditionFailed, with that owner as the info.
    static Result<std::shared_ptr<RadosDirectory>> acquire(std::shared_ptr<RadosPool> pool,
                                                           const Clock& clock,
                                                           const std::string& name,
                                                           const std::string& owner,
                                                           const std::string& replacing);

    // Removes the files and the directory; succeeds if there is none. The same rule for owners.
    static Status destroy(std::shared_ptr<RadosPool> pool,
                          const Clock& clock,
                          const std::string& name,
                          const std::string& owner,
                          const std::string& replacing);

    RadosDirectory(std::shared_ptr<RadosPool> pool,
                   const Clock& clock,
                   std::string name,
                   std::string owner);

    RadosPool& pool() const { return *pool_; }
    const std::string& name() const { return name_; }
    std::uint64_t epoch() const;
    // It has another owner, or was released.
    bool is_fenced() const;

    // Raises the epoch, so that nothing this owner has started takes effect any more, and reads the
    // files anew. kFenced if there is another owner.
    Status renew();
    // Gives the directory up; it must not be used after that.
    Status release();

    FileId new_id();
    std::int64_t now_seconds() const { return clock_.now_seconds(); }

    std::optional<FileEntry> find(std::string_view name) const;
    // The names that begin with the prefix.
    std::vector<std::string> names(std::string_view prefix = {}) const;
    std::uint64_t bytes() const;

    // Replaces a file of that name.
    Status put(std::string_view name, const FileEntry& entry);
    Status rename(std::string_view from, std::string_view to);
    Status link(std::string_view from, std::string_view to);
    Status remove(std::string_view name);

    // For a log. The new size is made known here, and on the medium with the next change: until
    // then, a new owner finds it out from the object.
    void grow(std::string_view name, const FileId& id, std::uint64_t size, bool seal);

    // Creates the object of a log, which takes appends of this epoch only.
    Status create_log(const FileId& id);
    // Appends to a log. kFenced if the epoch has been raised.
    Status append(const FileId& id, std::uint64_t offset, std::string_view bytes);

    // Removes the objects of files that were removed before this time.
    Status empty_trash(std::int64_t removed_before);

private:
    using Files = std::map<std::string, FileEntry, std::less<>>;
    using Trash = std::map<std::string, FileEntry>;  // by key
    using Keys = std::map<std::string, std::string>;
    using Sealed = std::map<std::string, FileId, std::less<>>;

    static Result<std::uint64_t> take(RadosPool& pool,
                                      const Clock& clock,
                                      const std::string& name,
                                      const std::string& owner,
                                      const std::string& replacing);

    Status load(std::uint64_t epoch);
    Result<Sealed> settle_logs(Files& files, std::uint64_t epoch);
    Status change(const Keys& set, const std::vector<std::string>& removed);
    Status fence(Status outcome, const char* doing);
    Trash trash_of(std::string_view name, const std::optional<FileId>& successor) const;
    static Keys keys_of(const Trash& trash);

    const std::shared_ptr<RadosPool> pool_;
    const Clock& clock_;
    const std::string name_;
    const std::string owner_;

    std::atomic<std::uint64_t> last_file_{0};

    // Held during changes: the object takes one at a time anyway.
    std::mutex changing_;
    mutable std::mutex mutex_;  // guards the members below
    std::uint64_t epoch_ = 0;
    bool fenced_ = false;
    bool in_doubt_ = false;
    Files files_;
    Trash trash_;
    // Sealed since the last change.
    Sealed to_seal_;
};

// Removes the objects of a file; succeeds if there are none.
Status remove_objects(RadosPool& pool, const std::string& directory, const FileEntry& entry);

}  // namespace orrery::storage
