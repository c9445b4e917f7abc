#include "storage/faulty_engine.h"

#include <mutex>
#include <utility>

#include "base/check.h"

namespace orrery::storage {

// The state of one run of the engine, from start or reopen() to a crash. Handles keep the state
// they were created in, so those from before a crash stay unusable.
class FaultState {
public:
    void inject(Fault fault, std::uint64_t nth) {
        CHECK(nth > 0);
        const std::lock_guard lock(mutex_);
        fault_ = fault;
        at_ = writes_ + nth;
    }

    void clear() {
        const std::lock_guard lock(mutex_);
        at_ = 0;
    }

    bool crashed() const {
        const std::lock_guard lock(mutex_);
        return crashed_;
    }

    std::uint64_t writes() const {
        const std::lock_guard lock(mutex_);
        return writes_;
    }

    Status check() const {
        if (crashed()) return Error(ErrorCode::kUnavailable, "injected: the machine has stopped");
        return {};
    }

    // Runs one write. Holds the lock throughout, so that the crashing write is the last one.
    template <typename Write>
    Status write(const Write& apply) {
        const std::lock_guard lock(mutex_);
        if (crashed_) return Error(ErrorCode::kUnavailable, "injected: the machine has stopped");
        if (++writes_ != at_) return apply();
        if (fault_ == Fault::kFail) {
            return Error(ErrorCode::kUnavailable, "injected: the write failed");
        }
        crashed_ = true;
        if (fault_ == Fault::kCrashAfter) TRY(apply());
        return Error(ErrorCode::kUnavailable, "injected: the machine stopped while writing");
    }

private:
    mutable std::mutex mutex_;
    std::uint64_t writes_ = 0;
    std::uint64_t at_ = 0;  // the write that fails; 0 for none
    Fault fault_ = Fault::kFail;
    bool crashed_ = false;
};

namespace {

using SharedFaults = std::shared_ptr<const FaultState>;

class FaultyCursor final : public Cursor {
public:
    FaultyCursor(std::unique_ptr<Cursor> inner, SharedFaults state)
        : inner_(std::move(inner)), state_(std::move(state)) {}

    bool valid() const override { return !state_->crashed() && inner_->valid(); }
    std::string_view key() const override { return inner_->key(); }
    std::string_view value() const override { return inner_->value(); }
    void next() override { inner_->next(); }
    void seek(std::string_view key) override { inner_->seek(key); }
    Status status() const override {
        TRY(state_->check());
        return inner_->status();
    }

private:
    const std::unique_ptr<Cursor> inner_;
    const SharedFaults state_;
};

// Read operations of a store or of a snapshot.
template <typename Interface, typename Inner>
class FaultyReads : public Interface {
public:
    FaultyReads(std::shared_ptr<Inner> inner, std::shared_ptr<FaultState> state)
        : inner_(std::move(inner)), state_(std::move(state)) {}

    Result<bool> get(std::string_view key, std::string& value) const override {
        TRY(state_->check());
        return inner_->get(key, value);
    }
    Result<bool> get_from_memory(std::string_view key, std::string& value) const override {
        TRY(state_->check());
        return inner_->get_from_memory(key, value);
    }
    Result<std::vector<std::optional<std::string>>> get_many(
        std::span<const std::string> keys) const override {
        TRY(state_->check());
        return inner_->get_many(keys);
    }
    std::unique_ptr<Cursor> scan(const Range& range, Direction direction) const override {
        return std::make_unique<FaultyCursor>(inner_->scan(range, direction), state_);
    }

protected:
    const std::shared_ptr<Inner> inner_;
    const std::shared_ptr<FaultState> state_;
};

using FaultyReader = FaultyReads<Reader, const Reader>;

class FaultyStore final : public FaultyReads<PartitionStore, PartitionStore> {
public:
    using FaultyReads::FaultyReads;

    std::shared_ptr<const Reader> snapshot() const override {
        return std::make_shared<FaultyReader>(inner_->snapshot(), state_);
    }
    void start_commit(const WriteBatch& batch, Done done) override {
        done(batch.empty() ? state_->check()
                           : state_->write([&] { return inner_->commit(batch); }));
    }
};

}  // namespace

FaultyEngine::FaultyEngine(Engine& inner) : inner_(inner), state_(std::make_shared<FaultState>()) {}

void FaultyEngine::inject(Fault fault, std::uint64_t nth) { state_->inject(fault, nth); }
void FaultyEngine::clear() { state_->clear(); }
void FaultyEngine::reopen() { state_ = std::make_shared<FaultState>(); }
bool FaultyEngine::crashed() const { return state_->crashed(); }
std::uint64_t FaultyEngine::writes() const { return state_->writes(); }

Result<std::shared_ptr<PartitionStore>> FaultyEngine::open(PartitionId id) {
    TRY(state_->check());
    auto inner = TRY(inner_.open(id));
    return std::shared_ptr<PartitionStore>(std::make_shared<FaultyStore>(std::move(inner), state_));
}

Status FaultyEngine::drop(PartitionId id) {
    return state_->write([&] { return inner_.drop(id); });
}

std::uint64_t FaultyEngine::size_on_disk() const { return inner_.size_on_disk(); }

}  // namespace orrery::storage
