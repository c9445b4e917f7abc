// One RocksDB with the parts of the engine contract that it does not keep by itself: it is never
// created over the remains of another, a refused commit leaves nothing behind, and after an error
// it gets going again when the medium does.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>

#include <rocksdb/db.h>
#include <rocksdb/listener.h>
#include <rocksdb/write_batch.h>

#include "base/result.h"
#include "storage/rocksdb/rocks_options.h"
#include "storage/rocksdb/wal_continuity.h"

namespace orrery::storage {

class RocksDatabase {
    struct Private {};

public:
    // `options.path` and `options.create` are of this database.
    static Result<std::shared_ptr<RocksDatabase>> open(
        const RocksOptions& options, std::shared_ptr<const RocksResources> resources);

    RocksDatabase(Private,
                  const RocksOptions& options,
                  std::shared_ptr<const RocksResources> resources);
    RocksDatabase(const RocksDatabase&) = delete;
    RocksDatabase& operator=(const RocksDatabase&) = delete;
    ~RocksDatabase() = default;

    rocksdb::DB& db() const { return *db_; }
    const std::string& path() const { return path_; }
    rocksdb::FileSystem& file_system() const { return *resources_->file_system; }

    // Writes and syncs. Any number of threads; they share syncs.
    Status write(rocksdb::WriteBatch& batch);

private:
    // Notes that RocksDB has stopped taking writes, and keeps the errors that are over when the
    // medium is back from being final.
    class ErrorListener final : public rocksdb::EventListener {
    public:
        void OnBackgroundError(rocksdb::BackgroundErrorReason reason,
                               rocksdb::Status* error) override;
        void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason reason,
                                  rocksdb::Status error,
                                  bool* auto_recovery) override;

        std::atomic<bool> failed{false};
    };

    struct LastError {
        ErrorCode code;
        std::string message;
        std::uint64_t at_micros;
    };

    Status recover();
    rocksdb::Status resume();

    const std::string path_;
    const std::uint64_t recovery_interval_micros_;
    const std::shared_ptr<const RocksResources> resources_;
    const std::shared_ptr<ErrorListener> listener_ = std::make_shared<ErrorListener>();
    WalContinuity wal_continuity_;
    std::unique_ptr<rocksdb::DB> db_;

    // Commits hold it shared, recovery alone.
    std::shared_mutex commits_;
    std::optional<LastError> last_error_;
};

}  // namespace orrery::storage
