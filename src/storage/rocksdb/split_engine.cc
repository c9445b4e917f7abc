#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "storage/rocksdb/rocks_database.h"
#include "storage/rocksdb/rocks_directory.h"
#include "storage/rocksdb/rocks_engine.h"
#include "storage/rocksdb/rocks_stats.h"
#include "storage/rocksdb/rocks_status.h"
#include "storage/rocksdb/rocks_store.h"
#include "storage/rocksdb/wal_list.h"

namespace orrery::storage {

namespace {

// Succeeds if there is no such directory.
Status remove_directory(rocksdb::FileSystem& file_system, const std::string& path) {
    const rocksdb::IOOptions options;
    std::vector<std::string> names;
    const rocksdb::IOStatus listed = file_system.GetChildren(path, options, &names, nullptr);
    if (listed.IsNotFound() || listed.IsPathNotFound()) return {};
    TRY(to_status(listed, "listing " + path));
    // The list of logs is removed first, so that logs need not be unlisted one by one.
    std::stable_partition(
        names.begin(), names.end(), [](const std::string& name) { return name == kWalListName; });
    for (const std::string& name : names) {
        if (name == "." || name == "..") continue;
        const std::string file = fmt::format("{}/{}", path, name);
        TRY(to_status(file_system.DeleteFile(file, options, nullptr), "removing " + file));
    }
    return to_status(file_system.DeleteDir(path, options, nullptr), "removing " + path);
}

// How many databases can write at a time, besides those that do so on their callers' threads.
constexpr std::size_t kCommitters = 4;

class SplitRocksEngine final : public Engine {
public:
    explicit SplitRocksEngine(RocksOptions options)
        : options_(std::move(options)), resources_(make_rocks_resources(options_, committers_)) {}

    // Checks for the directory and creates it if allowed.
    Status prepare();

    Result<std::shared_ptr<PartitionStore>> open(PartitionId id) override;
    Status drop(PartitionId id) override;
    std::uint64_t size_on_disk() const override;
    EngineStats stats() const override;

private:
    std::string path_of(PartitionId id) const {
        return fmt::format("{}/p{:08x}", options_.path, id);
    }

    // Makes the creation and removal of partitions survive a power failure.
    Status sync() const {
        return to_status(sync_directory(*resources_->file_system, options_.path),
                         "syncing " + options_.path);
    }

    const RocksOptions options_;
    ThreadPool committers_{kCommitters};
    const std::shared_ptr<const RocksResources> resources_;

    mutable std::mutex mutex_;
    std::map<PartitionId, std::shared_ptr<RocksDatabase>> open_;
};

Status SplitRocksEngine::prepare() {
    rocksdb::FileSystem& file_system = *resources_->file_system;
    const rocksdb::IOOptions options;
    if (options_.create) {
        return to_status(file_system.CreateDirIfMissing(options_.path, options, nullptr),
                         "creating " + options_.path);
    }
    const rocksdb::IOStatus found = file_system.FileExists(options_.path, options, nullptr);
    if (found.IsNotFound() || found.IsPathNotFound()) {
        return Error(ErrorCode::kCorrupted, "there is no database in " + options_.path);
    }
    return to_status(found, "opening " + options_.path);
}

Result<std::shared_ptr<PartitionStore>> SplitRocksEngine::open(PartitionId id) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<RocksDatabase>& database = open_[id];
    if (!database) {
        RocksOptions options = options_;
        options.path = path_of(id);
        options.create = true;
        database = TRY(RocksDatabase::open(options, resources_));
        TRY(sync());
    }
    return make_rocks_store(database, id);
}

Status SplitRocksEngine::drop(PartitionId id) {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(id);
    if (found != open_.end()) {
        CHECK(found->second == nullptr || found->second.use_count() == 1);
        open_.erase(found);
    }
    TRY(remove_directory(*resources_->file_system, path_of(id)));
    return sync();
}

std::uint64_t SplitRocksEngine::size_on_disk() const {
    rocksdb::FileSystem& file_system = *resources_->file_system;
    std::vector<std::string> names;
    if (!file_system.GetChildren(options_.path, rocksdb::IOOptions(), &names, nullptr).ok()) {
        return 0;
    }
    std::uint64_t total = 0;
    for (const std::string& name : names) {
        if (name.starts_with('p'))
            total += directory_bytes(file_system, options_.path + "/" + name);
    }
    return total;
}

EngineStats SplitRocksEngine::stats() const {
    EngineStats stats = shared_stats(*resources_);
    const std::lock_guard lock(mutex_);
    for (const auto& [id, database] : open_) {
        if (database) add_database_stats(stats, *database->instance());
    }
    return stats;
}

}  // namespace

Result<std::unique_ptr<Engine>> open_split_rocks(const RocksOptions& options) {
    auto engine = std::make_unique<SplitRocksEngine>(options);
    TRY(engine->prepare());
    return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace orrery::storage
