#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "base/log.h"
#include "base/thread_pool.h"
#include "storage/rados/rados_cluster.h"
#include "storage/rados/rados_file_system.h"
#include "storage/rocksdb/rocks_database.h"
#include "storage/rocksdb/rocks_stats.h"
#include "storage/rocksdb/rocks_store.h"

namespace orrery::storage {

namespace {

// A commit keeps a thread while it waits for the medium, and a stalled partition keeps one until
// its commit is given up. Then others are started, so that it does not hold up the other
// partitions.
constexpr std::size_t kRadosCommitters = 4;
constexpr std::size_t kRadosCommittersMax = 1024;

constexpr std::chrono::milliseconds kMemoryInterval{500};

std::string directory_of(PartitionId id) { return fmt::format("p{:08x}", id); }

RocksOptions rocks_options(const RadosEngineOptions& options,
                           std::shared_ptr<rocksdb::FileSystem> file_system) {
    return {.path = {},
            .create = true,
            .file_system = std::move(file_system),
            .cache_bytes = options.cache_bytes,
            .write_buffer_bytes = options.write_buffer_bytes,
            .scanned_letters = options.scanned_letters};
}

class RadosEngine final : public OwnedEngine {
public:
    RadosEngine(std::shared_ptr<RadosPool> pool,
                const Clock& clock,
                const RadosEngineOptions& options)
        : pool_(std::move(pool)),
          clock_(clock),
          options_(options),
          file_system_(std::make_shared<RadosFileSystem>(
              pool_, RadosFileSystem::Options{.trash_time = options.trash_time})),
          resources_(make_remote_resources(rocks_options(options, file_system_),
                                           committers_,
                                           *file_system_,
                                           options.write_buffers_bytes_max)) {
        CHECK(!options.owner.empty());
        memory_keeper_ = std::thread([this] { keep_memory_bounded(); });
    }
    ~RadosEngine() override;

    Result<std::shared_ptr<PartitionStore>> acquire(PartitionId id,
                                                    const std::string& replacing) override;
    Result<std::shared_ptr<PartitionStore>> open(PartitionId id) override;
    void prepare_release(PartitionId id) override;
    Status release(PartitionId id) override;
    Result<std::optional<Owner>> owner_of(PartitionId id) override;
    Status drop(PartitionId id) override;
    std::uint64_t size_on_disk() const override;
    EngineStats stats() const override;

private:
    // A partition that is, or was, owned. Taking one over takes time: each has a lock of its own.
    struct Slot {
        std::mutex mutex;
        std::shared_ptr<RadosDirectory> directory;
        std::shared_ptr<RocksDatabase> database;
    };

    std::shared_ptr<Slot> slot(PartitionId id);
    std::vector<std::shared_ptr<Slot>> slots() const;
    Status open_in(Slot& slot, PartitionId id, const std::string& replacing);
    // Ends all use of the files.
    void close(Slot& slot);
    Status release(Slot& slot);

    void keep_memory_bounded();
    void flush_largest();

    const std::shared_ptr<RadosPool> pool_;
    const Clock& clock_;
    const RadosEngineOptions options_;
    ThreadPool committers_{
        ThreadPool::Options{.threads = kRadosCommitters, .threads_max = kRadosCommittersMax}};
    const std::shared_ptr<RadosFileSystem> file_system_;
    const std::shared_ptr<const RocksResources> resources_;

    mutable std::mutex mutex_;  // guards the map, not the slots
    std::map<PartitionId, std::shared_ptr<Slot>> slots_;
    bool stopping_ = false;
    std::condition_variable stop_;
    std::thread memory_keeper_;
};

RadosEngine::~RadosEngine() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    stop_.notify_all();
    memory_keeper_.join();
    for (const auto& slot : slots()) {
        const std::lock_guard lock(slot->mutex);
        // Otherwise the next owner has to find out that this one has gone.
        static_cast<void>(release(*slot));
    }
}

std::shared_ptr<RadosEngine::Slot> RadosEngine::slot(PartitionId id) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Slot>& found = slots_[id];
    if (!found) found = std::make_shared<Slot>();
    return found;
}

std::vector<std::shared_ptr<RadosEngine::Slot>> RadosEngine::slots() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Slot>> all;
    all.reserve(slots_.size());
    for (const auto& [id, slot] : slots_)
        all.push_back(slot);
    return all;
}

Result<std::shared_ptr<PartitionStore>> RadosEngine::acquire(PartitionId id,
                                                             const std::string& replacing) {
    const std::shared_ptr<Slot> found = slot(id);
    const std::lock_guard lock(found->mutex);
    if (found->directory && found->directory->is_fenced()) close(*found);
    if (!found->database) TRY(open_in(*found, id, replacing));
    return make_rocks_store(found->database, id);
}

Status RadosEngine::open_in(Slot& slot, PartitionId id, const std::string& replacing) {
    const std::string name = directory_of(id);
    std::shared_ptr<RadosDirectory> directory =
        TRY(RadosDirectory::acquire(pool_, clock_, name, options_.owner, replacing));
    file_system_->mount(directory);
    RocksOptions options = rocks_options(options_, file_system_);
    options.path = "/" + name;
    auto database = RocksDatabase::open(options, resources_);
    if (!database) {
        file_system_->unmount(name);
        return std::move(database).take_error();
    }
    slot.directory = std::move(directory);
    slot.database = std::move(database).take();
    return {};
}

Result<std::shared_ptr<PartitionStore>> RadosEngine::open(PartitionId id) {
    auto store = acquire(id, {});
    if (!store && store.error().code() == ErrorCode::kPreconditionFailed) {
        return Error(ErrorCode::kFenced, store.error().message()).with_info(store.error().info());
    }
    return store;
}

void RadosEngine::close(Slot& slot) {
    if (!slot.database) return;
    slot.database->close();
    slot.database = nullptr;
    file_system_->unmount(slot.directory->name());
    slot.directory = nullptr;
}

void RadosEngine::prepare_release(PartitionId id) {
    const std::shared_ptr<Slot> found = slot(id);
    const std::lock_guard lock(found->mutex);
    if (found->database) found->database->flush_in_background();
}

Status RadosEngine::release(PartitionId id) {
    const std::shared_ptr<Slot> found = slot(id);
    const std::lock_guard lock(found->mutex);
    return release(*found);
}

Status RadosEngine::release(Slot& slot) {
    if (!slot.database) return {};
    const std::shared_ptr<RadosDirectory> directory = slot.directory;
    close(slot);
    Status released = directory->release();
    if (!released && released.error().code() == ErrorCode::kFenced) return {};
    return released;
}

Result<std::optional<OwnedEngine::Owner>> RadosEngine::owner_of(PartitionId id) {
    const auto found = TRY(RadosDirectory::owner_of(*pool_, directory_of(id)));
    if (!found) return std::optional<Owner>();
    return std::optional(Owner{.name = found->owner, .epoch = found->epoch});
}

Status RadosEngine::drop(PartitionId id) {
    const std::shared_ptr<Slot> found = slot(id);
    const std::lock_guard lock(found->mutex);
    close(*found);
    return RadosDirectory::destroy(pool_, clock_, directory_of(id), options_.owner, {});
}

// RocksDB flushes the database that is being written when all memtables together become too large,
// not those that hold the memory: without this, a thousand idle partitions would leave nothing to
// the few that are written.
void RadosEngine::keep_memory_bounded() {
    std::unique_lock lock(mutex_);
    while (!stop_.wait_for(lock, kMemoryInterval, [this] { return stopping_; })) {
        if (resources_->write_buffers->memory_usage() < options_.write_buffers_bytes_max / 2)
            continue;
        lock.unlock();
        flush_largest();
        lock.lock();
    }
}

// As many as hold a quarter of the memory.
void RadosEngine::flush_largest() {
    std::vector<std::pair<std::uint64_t, std::shared_ptr<RocksDatabase>>> databases;
    for (const auto& slot : slots()) {
        // One that is being acquired or released holds little for long.
        const std::unique_lock lock(slot->mutex, std::try_to_lock);
        if (lock && slot->database) {
            databases.emplace_back(slot->database->memtable_bytes(), slot->database);
        }
    }
    std::sort(databases.begin(), databases.end(), [](const auto& a, const auto& b) {
        return a.first > b.first;
    });
    std::uint64_t flushed = 0;
    for (const auto& [bytes, database] : databases) {
        if (flushed >= options_.write_buffers_bytes_max / 4) return;
        database->flush_in_background();
        flushed += bytes;
    }
}

std::uint64_t RadosEngine::size_on_disk() const {
    std::uint64_t total = 0;
    for (const auto& slot : slots()) {
        const std::lock_guard lock(slot->mutex);
        if (slot->directory) total += slot->directory->bytes();
    }
    return total;
}

EngineStats RadosEngine::stats() const {
    EngineStats stats = shared_stats(*resources_);
    for (const auto& slot : slots()) {
        const std::lock_guard lock(slot->mutex);
        if (slot->database) add_database_stats(stats, *slot->database->instance());
    }
    return stats;
}

}  // namespace

std::unique_ptr<OwnedEngine> make_rados_engine(std::shared_ptr<RadosPool> pool,
                                               const Clock& clock,
                                               const RadosEngineOptions& options) {
    return std::make_unique<RadosEngine>(std::move(pool), clock, options);
}

}  // namespace orrery::storage
