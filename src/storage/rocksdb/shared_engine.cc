#include <utility>

#include <rocksdb/convenience.h>

#include "base/bytes.h"
#include "storage/rocksdb/rocks_backup.h"
#include "storage/rocksdb/rocks_database.h"
#include "storage/rocksdb/rocks_directory.h"
#include "storage/rocksdb/rocks_engine.h"
#include "storage/rocksdb/rocks_stats.h"
#include "storage/rocksdb/rocks_status.h"
#include "storage/rocksdb/rocks_store.h"

namespace orrery::storage {

namespace {

// Here a partition is a key prefix: opening one costs nothing.
class SharedRocksEngine final : public DurableEngine {
public:
    SharedRocksEngine(std::unique_ptr<ThreadPool> committers,
                      std::shared_ptr<RocksDatabase> database)
        : database_(std::move(database)), committers_(std::move(committers)) {}

    Result<std::shared_ptr<PartitionStore>> open(PartitionId id) override {
        return make_rocks_store(database_, id);
    }

    Status drop(PartitionId id) override;

    std::uint64_t size_on_disk() const override {
        const std::shared_ptr<RocksInstance> instance = database_->instance();
        rocksdb::FileSystem& files = *instance->resources->file_system;
        // With the logs that are kept for backups.
        return directory_bytes(files, instance->path) +
               directory_bytes(files, file_in(instance->path, "archive"));
    }

    Result<std::vector<PartitionId>> partitions() const override;
    Status verify_medium() const override;
    Result<BackupOutcome> back_up(const BackupRequest& request) override {
        return back_up_rocks(*database_, request);
    }

    EngineStats stats() const override {
        const std::shared_ptr<RocksInstance> instance = database_->instance();
        EngineStats stats = shared_stats(*instance->resources);
        add_database_stats(stats, *instance);
        return stats;
    }

private:
    Result<std::optional<std::string>> last_key(PartitionId id) const;

    const std::shared_ptr<RocksDatabase> database_;
    const std::unique_ptr<ThreadPool> committers_;
};

Status SharedRocksEngine::drop(PartitionId id) {
    const std::optional<std::string> last = TRY(last_key(id));
    // Also ends a repeated drop, which would only add tombstones.
    if (!last) return {};
    const std::string first = partition_prefix(id);
    rocksdb::WriteBatch batch;
    // The last partition has no end key, so every drop deletes the last key separately.
    TRY(to_status(batch.DeleteRange(first, *last), "adding to a batch"));
    TRY(to_status(batch.Delete(*last), "adding to a batch"));
    TRY(database_->write(std::move(batch)));

    // Frees whole files now instead of at a later compaction. The range is already deleted, so a
    // failure here only costs space.
    const std::shared_ptr<RocksInstance> instance = database_->instance();
    rocksdb::DB& db = *instance->db;
    const rocksdb::Slice begin(first);
    const rocksdb::Slice end(*last);
    rocksdb::DeleteFilesInRange(&db, db.DefaultColumnFamily(), &begin, &end).PermitUncheckedError();
    return {};
}

Result<std::vector<PartitionId>> SharedRocksEngine::partitions() const {
    const std::shared_ptr<RocksInstance> instance = database_->instance();
    rocksdb::ReadOptions options;
    options.total_order_seek = true;
    const std::unique_ptr<rocksdb::Iterator> cursor(instance->db->NewIterator(options));
    std::vector<PartitionId> found;
    cursor->SeekToFirst();
    while (cursor->Valid()) {
        const auto id = ByteReader(cursor->key().ToStringView()).big_endian<PartitionId>();
        found.push_back(id);
        const std::optional<std::string> end = partition_end(id);
        if (!end) break;
        cursor->Seek(*end);
    }
    TRY(to_status(cursor->status(), "reading from " + instance->path));
    return found;
}

Status SharedRocksEngine::verify_medium() const {
    const std::shared_ptr<RocksInstance> instance = database_->instance();
    return to_status(instance->db->VerifyChecksum(rocksdb::ReadOptions()),
                     "reading " + instance->path);
}

Result<std::optional<std::string>> SharedRocksEngine::last_key(PartitionId id) const {
    const std::shared_ptr<PartitionStore> store = make_rocks_store(database_, id);
    const std::unique_ptr<Cursor> cursor = store->scan({}, Direction::kBackward);
    TRY(cursor->status());
    if (!cursor->valid()) return std::optional<std::string>();
    return std::optional(partition_prefix(id) + std::string(cursor->key()));
}

}  // namespace

Result<std::unique_ptr<DurableEngine>> open_durable_rocks(const RocksOptions& options) {
    // More would only wait for each other: a database writes one group at a time.
    auto committers = std::make_unique<ThreadPool>(1);
    auto database = TRY(RocksDatabase::open(options, make_rocks_resources(options, *committers)));
    return std::unique_ptr<DurableEngine>(
        std::make_unique<SharedRocksEngine>(std::move(committers), std::move(database)));
}

Result<std::unique_ptr<Engine>> open_shared_rocks(const RocksOptions& options) {
    return std::unique_ptr<Engine>(TRY(open_durable_rocks(options)));
}

}  // namespace orrery::storage
