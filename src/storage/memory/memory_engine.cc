#include "storage/memory/memory_engine.h"

#include <limits>
#include <set>
#include <shared_mutex>
#include <utility>

namespace orrery::storage {

using Sequence = std::uint64_t;

// Every key with its versions, oldest first. Each commit has a sequence number; a snapshot is such
// a number, kept in `snapshots_` so that commits know which versions are no longer visible.
class MemoryPartition {
public:
    struct Entry {
        std::string key;
        std::string value;
    };

    Sequence pin() {
        const std::unique_lock lock(mutex_);
        snapshots_.insert(sequence_);
        return sequence_;
    }

    void unpin(Sequence at) {
        const std::unique_lock lock(mutex_);
        snapshots_.erase(snapshots_.find(at));
        if (snapshots_.empty()) sweep();
    }

    bool get(Sequence at, std::string_view key, std::string& value) const {
        const std::shared_lock lock(mutex_);
        const auto found = versions_.find(key);
        const std::string* const visible =
            found == versions_.end() ? nullptr : visible_value(found->second, at);
        if (visible != nullptr) value = *visible;
        return visible != nullptr;
    }

    // The first, or last, visible entry with from <= key < until.
    std::optional<Entry> first(Sequence at, const Range& range) const;
    std::optional<Entry> last(Sequence at, const Range& range) const;

    Status commit(const WriteBatch& batch);

    void fence() {
        const std::unique_lock lock(mutex_);
        fenced_ = true;
    }

    std::uint64_t bytes() const;

private:
    struct Version {
        Sequence sequence;
        std::optional<std::string> value;  // nullopt: removed
    };
    using Versions = std::vector<Version>;

    static const std::string* visible_value(const Versions& versions, Sequence at) {
        for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
            if (version->sequence <= at) return version->value ? &*version->value : nullptr;
        }
        return nullptr;
    }

    void sweep();

    mutable std::shared_mutex mutex_;
    std::map<std::string, Versions, std::less<>> versions_;
    std::multiset<Sequence> snapshots_;
    // Keys with versions that only snapshots can see.
    std::set<std::string> stale_;
    Sequence sequence_ = 0;
    bool fenced_ = false;
};

std::optional<MemoryPartition::Entry> MemoryPartition::first(Sequence at,
                                                             const Range& range) const {
    const std::shared_lock lock(mutex_);
    for (auto it = versions_.lower_bound(range.from); it != versions_.end(); ++it) {
        if (range.until && it->first >= *range.until) break;
        if (const std::string* value = visible_value(it->second, at)) {
            return Entry{.key = it->first, .value = *value};
        }
    }
    return std::nullopt;
}

std::optional<MemoryPartition::Entry> MemoryPartition::last(Sequence at, const Range& range) const {
    const std::shared_lock lock(mutex_);
    auto it = range.until ? versions_.lower_bound(*range.until) : versions_.end();
    while (it != versions_.begin()) {
        --it;
        if (it->first < range.from) break;
        if (const std::string* value = visible_value(it->second, at)) {
            return Entry{.key = it->first, .value = *value};
        }
    }
    return std::nullopt;
}

Status MemoryPartition::commit(const WriteBatch& batch) {
    const std::unique_lock lock(mutex_);
    if (fenced_) return Error(ErrorCode::kFenced, "the partition belongs to another node");
    ++sequence_;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const WriteBatch::Operation operation = batch.operation(i);
        Versions& versions = versions_[std::string(operation.key)];
        std::optional<std::string> value;
        if (operation.kind == WriteBatch::Kind::kPut) value.emplace(operation.value);
        // Within a batch the later operation replaces the earlier one.
        if (!versions.empty() && versions.back().sequence == sequence_) versions.pop_back();
        versions.push_back({.sequence = sequence_, .value = std::move(value)});
        stale_.emplace(operation.key);
    }
    if (snapshots_.empty()) sweep();
    return {};
}

// Called only when there are no snapshots, so only the newest version is visible.
void MemoryPartition::sweep() {
    for (const std::string& key : stale_) {
        const auto found = versions_.find(key);
        Versions& versions = found->second;
        if (versions.back().value) {
            versions.erase(versions.begin(), versions.end() - 1);
        } else {
            versions_.erase(found);
        }
    }
    stale_.clear();
}

std::uint64_t MemoryPartition::bytes() const {
    const std::shared_lock lock(mutex_);
    std::uint64_t total = 0;
    for (const auto& [key, versions] : versions_) {
        for (const Version& version : versions) {
            total += key.size() + (version.value ? version.value->size() : 0);
        }
    }
    return total;
}

namespace {

constexpr Sequence kNewest = std::numeric_limits<Sequence>::max();

class Pin {
public:
    explicit Pin(std::shared_ptr<MemoryPartition> partition)
        : partition_(std::move(partition)), sequence_(partition_->pin()) {}
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;
    ~Pin() { partition_->unpin(sequence_); }

    MemoryPartition& partition() const { return *partition_; }
    Sequence sequence() const { return sequence_; }

private:
    const std::shared_ptr<MemoryPartition> partition_;
    const Sequence sequence_;
};

class MemoryCursor final : public Cursor {
public:
    MemoryCursor(std::shared_ptr<const Pin> pin, Range range, Direction direction)
        : pin_(std::move(pin)), rest_(std::move(range)), direction_(direction) {
        load();
    }

    bool valid() const override { return entry_.has_value(); }
    std::string_view key() const override { return entry_->key; }
    std::string_view value() const override { return entry_->value; }
    Status status() const override { return {}; }

    void next() override {
        if (direction_ == Direction::kForward) {
            rest_.from = entry_->key + '\0';
        } else {
            rest_.until = entry_->key;
        }
        load();
    }

    void seek(std::string_view key) override {
        if (!entry_) return;
        if (direction_ == Direction::kForward) {
            if (key <= entry_->key) return;
            rest_.from = key;
        } else {
            if (key >= entry_->key) return;
            rest_.until = std::string(key) + '\0';
        }
        load();
    }

private:
    void load() {
        const MemoryPartition& partition = pin_->partition();
        entry_ = direction_ == Direction::kForward ? partition.first(pin_->sequence(), rest_)
                                                   : partition.last(pin_->sequence(), rest_);
    }

    const std::shared_ptr<const Pin> pin_;
    Range rest_;
    const Direction direction_;
    std::optional<MemoryPartition::Entry> entry_;
};

std::vector<std::optional<std::string>> values_of(const Pin& pin,
                                                  std::span<const std::string> keys) {
    std::vector<std::optional<std::string>> values(keys.size());
    std::string value;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (pin.partition().get(pin.sequence(), keys[i], value)) values[i] = value;
    }
    return values;
}

class MemorySnapshot final : public Reader {
public:
    explicit MemorySnapshot(std::shared_ptr<MemoryPartition> partition)
        : pin_(std::make_shared<Pin>(std::move(partition))) {}

    Result<bool> get(std::string_view key, std::string& value) const override {
        return pin_->partition().get(pin_->sequence(), key, value);
    }
    Result<std::vector<std::optional<std::string>>> get_many(
        std::span<const std::string> keys) const override {
        return values_of(*pin_, keys);
    }
    std::unique_ptr<Cursor> scan(const Range& range, Direction direction) const override {
        return std::make_unique<MemoryCursor>(pin_, range, direction);
    }

private:
    const std::shared_ptr<const Pin> pin_;
};

class MemoryStore final : public PartitionStore {
public:
    explicit MemoryStore(std::shared_ptr<MemoryPartition> partition)
        : partition_(std::move(partition)) {}

    Result<bool> get(std::string_view key, std::string& value) const override {
        return partition_->get(kNewest, key, value);
    }
    Result<std::vector<std::optional<std::string>>> get_many(
        std::span<const std::string> keys) const override {
        return values_of(Pin(partition_), keys);
    }
    std::unique_ptr<Cursor> scan(const Range& range, Direction direction) const override {
        return std::make_unique<MemoryCursor>(
            std::make_shared<const Pin>(partition_), range, direction);
    }
    std::shared_ptr<const Reader> snapshot() const override {
        return std::make_shared<MemorySnapshot>(partition_);
    }
    void start_commit(const WriteBatch& batch, Done done) override {
        done(batch.empty() ? Status() : partition_->commit(batch));
    }

private:
    const std::shared_ptr<MemoryPartition> partition_;
};

}  // namespace

Result<std::shared_ptr<PartitionStore>> MemoryEngine::open(PartitionId id) {
    return std::shared_ptr<PartitionStore>(std::make_shared<MemoryStore>(partition(id)));
}

Status MemoryEngine::drop(PartitionId id) {
    const std::lock_guard lock(mutex_);
    partitions_.erase(id);
    return {};
}

std::uint64_t MemoryEngine::size_on_disk() const {
    const std::lock_guard lock(mutex_);
    std::uint64_t total = 0;
    for (const auto& [id, partition] : partitions_) {
        total += partition->bytes();
    }
    return total;
}

void MemoryEngine::fence(PartitionId id) { partition(id)->fence(); }

std::shared_ptr<MemoryPartition> MemoryEngine::partition(PartitionId id) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<MemoryPartition>& found = partitions_[id];
    if (!found) found = std::make_shared<MemoryPartition>();
    return found;
}

}  // namespace orrery::storage
