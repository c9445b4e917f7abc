#include "storage/rocksdb/rocks_store.h"

#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <rocksdb/iterator.h>
#include <rocksdb/snapshot.h>

#include "base/bytes.h"
#include "base/guarded.h"
#include "storage/rocksdb/rocks_options.h"
#include "storage/rocksdb/rocks_status.h"

namespace orrery::storage {

namespace {

rocksdb::Slice to_slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

Error read_error(const rocksdb::Status& status, const RocksInstance& instance) {
    if (status.IsIncomplete()) return Error(ErrorCode::kWouldBlock, "not in memory");
    return to_error(status, "reading from " + instance.path);
}

rocksdb::ReadOptions in_memory() {
    rocksdb::ReadOptions options;
    options.read_tier = rocksdb::kBlockCacheTier;
    return options;
}

// A partition's key with its prefix, on the stack unless it is long.
class FullKey {
public:
    FullKey(std::string_view prefix, std::string_view key) : size_(prefix.size() + key.size()) {
        char* to = short_.data();
        if (size_ > short_.size()) {
            long_.resize(size_);
            to = long_.data();
        }
        std::memcpy(to, prefix.data(), prefix.size());
        if (!key.empty()) std::memcpy(to + prefix.size(), key.data(), key.size());
    }

    rocksdb::Slice slice() const {
        return {size_ > short_.size() ? long_.data() : short_.data(), size_};
    }

private:
    std::array<char, 128> short_;
    std::string long_;
    std::size_t size_;
};

class RocksCursor final : public Cursor {
public:
    struct Bounds {
        std::string from;
        std::optional<std::string> until;
    };

    RocksCursor(std::shared_ptr<RocksInstance> instance,
                rocksdb::ReadOptions options,
                Bounds bounds,
                Direction direction)
        : instance_(std::move(instance)),
          bounds_(std::move(bounds)),
          prefix_(std::string_view(bounds_.from).substr(0, kPrefixSize)),
          direction_(direction) {
        // The filters contain whole keys only, so they cannot serve range scans.
        options.total_order_seek = true;
        from_ = bounds_.from;
        options.iterate_lower_bound = &from_;
        if (bounds_.until) {
            until_ = *bounds_.until;
            options.iterate_upper_bound = &until_;
        }
        iterator_.reset(instance_->db->NewIterator(options));
        if (direction_ == Direction::kForward) {
            iterator_->SeekToFirst();
        } else {
            iterator_->SeekToLast();
        }
    }

    bool valid() const override { return iterator_->Valid(); }
    std::string_view key() const override {
        return iterator_->key().ToStringView().substr(kPrefixSize);
    }
    std::string_view value() const override { return iterator_->value().ToStringView(); }

    void next() override {
        if (direction_ == Direction::kForward) {
            iterator_->Next();
        } else {
            iterator_->Prev();
        }
    }

    void seek(std::string_view key) override {
        if (!iterator_->Valid()) return;
        const FullKey full(prefix_, key);
        const int order = full.slice().compare(iterator_->key());
        if (direction_ == Direction::kForward) {
            if (order > 0) iterator_->Seek(full.slice());
        } else {
            if (order < 0) iterator_->SeekForPrev(full.slice());
        }
    }

    Status status() const override {
        const rocksdb::Status status = iterator_->status();
        return status.ok() ? Status() : read_error(status, *instance_);
    }

private:
    // The iterator refers to all of these.
    const std::shared_ptr<RocksInstance> instance_;
    const Bounds bounds_;
    const std::string_view prefix_;
    rocksdb::Slice from_;
    rocksdb::Slice until_;
    const Direction direction_;
    std::unique_ptr<rocksdb::Iterator> iterator_;
};

// The keys of a partition, readable from any instance.
class KeySpace {
public:
    explicit KeySpace(PartitionId id) : prefix_(partition_prefix(id)), end_(partition_end(id)) {}

    const std::string& prefix() const { return prefix_; }

    Result<bool> get(RocksInstance& instance,
                     const rocksdb::ReadOptions& options,
                     std::string_view key,
                     std::string& value) const;
    Result<std::vector<std::optional<std::string>>> get_many(
        RocksInstance& instance,
        const rocksdb::ReadOptions& options,
        std::span<const std::string> keys) const;
    std::unique_ptr<Cursor> scan(std::shared_ptr<RocksInstance> instance,
                                 const rocksdb::ReadOptions& options,
                                 const Range& range,
                                 Direction direction) const;

private:
    const std::string prefix_;
    const std::optional<std::string> end_;
};

Result<bool> KeySpace::get(RocksInstance& instance,
                           const rocksdb::ReadOptions& options,
                           std::string_view key,
                           std::string& value) const {
    // From a memtable RocksDB copies directly into `value`; from the block cache it returns a
    // pinned block, which we copy.
    rocksdb::PinnableSlice found(&value);
    rocksdb::DB& db = *instance.db;
    const rocksdb::Status status =
        db.Get(options, db.DefaultColumnFamily(), FullKey(prefix_, key).slice(), &found);
    if (status.IsNotFound()) return false;
    if (!status.ok()) return read_error(status, instance);
    if (found.IsPinned()) value.assign(found.data(), found.size());
    return true;
}

Result<std::vector<std::optional<std::string>>> KeySpace::get_many(
    RocksInstance& instance,
    const rocksdb::ReadOptions& options,
    std::span<const std::string> keys) const {
    std::vector<FullKey> full_keys;
    std::vector<rocksdb::Slice> slices;
    full_keys.reserve(keys.size());
    slices.reserve(keys.size());
    for (const std::string& key : keys) {
        slices.push_back(full_keys.emplace_back(prefix_, key).slice());
    }
    std::vector<rocksdb::PinnableSlice> found(keys.size());
    std::vector<rocksdb::Status> statuses(keys.size());
    rocksdb::DB& db = *instance.db;
    db.MultiGet(options,
                db.DefaultColumnFamily(),
                keys.size(),
                slices.data(),
                found.data(),
                statuses.data());
    std::vector<std::optional<std::string>> values(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (statuses[i].IsNotFound()) continue;
        if (!statuses[i].ok()) return read_error(statuses[i], instance);
        values[i].emplace(found[i].data(), found[i].size());
    }
    return values;
}

std::unique_ptr<Cursor> KeySpace::scan(std::shared_ptr<RocksInstance> instance,
                                       const rocksdb::ReadOptions& options,
                                       const Range& range,
                                       Direction direction) const {
    RocksCursor::Bounds bounds{.from = prefix_ + range.from, .until = end_};
    if (range.until) bounds.until = prefix_ + *range.until;
    // RocksDB does not define iteration over an inverted range.
    if (bounds.until && *bounds.until < bounds.from) bounds.until = bounds.from;
    return std::make_unique<RocksCursor>(
        std::move(instance), options, std::move(bounds), direction);
}

class RocksSnapshot final : public Reader {
public:
    RocksSnapshot(std::shared_ptr<RocksInstance> instance,
                  std::shared_ptr<const KeySpace> keys,
                  rocksdb::ReadOptions options)
        : instance_(std::move(instance)),
          snapshot_(instance_->db.get()),
          keys_(std::move(keys)),
          options_(std::move(options)) {
        options_.snapshot = snapshot_.snapshot();
    }

    Result<bool> get(std::string_view key, std::string& value) const override {
        return keys_->get(*instance_, options_, key, value);
    }
    Result<std::vector<std::optional<std::string>>> get_many(
        std::span<const std::string> keys) const override {
        return keys_->get_many(*instance_, options_, keys);
    }
    std::unique_ptr<Cursor> scan(const Range& range, Direction direction) const override {
        return keys_->scan(instance_, options_, range, direction);
    }

private:
    const std::shared_ptr<RocksInstance> instance_;
    rocksdb::ManagedSnapshot snapshot_;
    const std::shared_ptr<const KeySpace> keys_;
    rocksdb::ReadOptions options_;
};

class RocksStore final : public PartitionStore {
public:
    RocksStore(std::shared_ptr<RocksDatabase> database, PartitionId id)
        : database_(std::move(database)), keys_(std::make_shared<KeySpace>(id)) {}

    Result<bool> get(std::string_view key, std::string& value) const override {
        return keys_->get(*database_->instance(), {}, key, value);
    }
    Result<std::vector<std::optional<std::string>>> get_many(
        std::span<const std::string> keys) const override {
        return keys_->get_many(*database_->instance(), {}, keys);
    }
    Result<bool> get_from_memory(std::string_view key, std::string& value) const override {
        return keys_->get(*database_->instance(), in_memory(), key, value);
    }
    std::unique_ptr<Cursor> scan(const Range& range, Direction direction) const override {
        return keys_->scan(database_->instance(), {}, range, direction);
    }
    std::shared_ptr<const Reader> snapshot() const override {
        return std::make_shared<RocksSnapshot>(
            database_->instance(), keys_, rocksdb::ReadOptions());
    }
    std::shared_ptr<const Reader> snapshot_in_memory() const override {
        return std::make_shared<RocksSnapshot>(database_->instance(), keys_, in_memory());
    }
    void start_commit(const WriteBatch& batch, Done done) override;

private:
    Result<rocksdb::WriteBatch> with_prefix(const WriteBatch& batch) const;

    const std::shared_ptr<RocksDatabase> database_;
    const std::shared_ptr<const KeySpace> keys_;
};

// RocksDB's overhead per operation: a tag and two lengths, plus the prefix.
constexpr std::size_t kOperationOverhead = 12 + kPrefixSize;

void RocksStore::start_commit(const WriteBatch& batch, Done done) {
    if (batch.empty()) return done(Status());
    rocksdb::WriteBatch converted;
    Status status = run_guarded("converting a commit", [&]() -> Status {
        converted = TRY(with_prefix(batch));
        return {};
    });
    if (!status) return done(std::move(status));
    database_->start_write(std::move(converted), std::move(done));
}

Result<rocksdb::WriteBatch> RocksStore::with_prefix(const WriteBatch& batch) const {
    rocksdb::WriteBatch out(batch.byte_size() + batch.size() * kOperationOverhead);
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const WriteBatch::Operation operation = batch.operation(i);
        const std::array<rocksdb::Slice, 2> key{keys_->prefix(), to_slice(operation.key)};
        const rocksdb::SliceParts key_parts(key.data(), static_cast<int>(key.size()));
        rocksdb::Status added;
        if (operation.kind == WriteBatch::Kind::kPut) {
            const rocksdb::Slice value = to_slice(operation.value);
            added = out.Put(key_parts, rocksdb::SliceParts(&value, 1));
        } else {
            added = out.Delete(key_parts);
        }
        TRY(to_status(added, "adding to a batch"));
    }
    return out;
}

}  // namespace

std::shared_ptr<PartitionStore> make_rocks_store(std::shared_ptr<RocksDatabase> database,
                                                 PartitionId id) {
    return std::make_shared<RocksStore>(std::move(database), id);
}

std::string partition_prefix(PartitionId id) {
    std::string prefix;
    append_big_endian(prefix, id);
    return prefix;
}

std::optional<std::string> partition_end(PartitionId id) {
    if (id == std::numeric_limits<PartitionId>::max()) return std::nullopt;
    return partition_prefix(id + 1);
}

}  // namespace orrery::storage
