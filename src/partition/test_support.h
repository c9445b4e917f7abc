// A partition under test, and helpers that its tests share. Tests only.

#pragma once

#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/thread_pool.h"
#include "base/wait_for.h"
#include "model/test_support.h"
#include "partition/partition.h"
#include "partition/verify.h"
#include "storage/memory/memory_engine.h"

namespace orrery::partition::testing_support {

using model::testing_support::container_definition;
using model::testing_support::item;
using model::testing_support::item_body;
using model::testing_support::must;
using model::testing_support::refusal;

inline constexpr std::int64_t kStartSecond = 1'700'000'000;

inline Identity identity() {
    return {.container = {.database = 1, .number = 1}, .range_id = 3, .storage_id = 7};
}

// A write made of two functions.
class FunctionTask final : public WriteTask {
public:
    FunctionTask(std::function<Status(ItemWriter&)> apply, std::function<void(Status)> done)
        : apply_(std::move(apply)), done_(std::move(done)) {}

    Status apply(ItemWriter& writer) override { return apply_(writer); }
    void complete(Status outcome) override { done_(std::move(outcome)); }

private:
    std::function<Status(ItemWriter&)> apply_;
    std::function<void(Status)> done_;
};

// Runs a write and waits for its outcome.
inline Status run(Partition& partition, std::function<Status(ItemWriter&)> apply) {
    return wait_for<Status>([&](auto done) {
        partition.submit(std::make_unique<FunctionTask>(std::move(apply), std::move(done)));
    });
}

// Items of one container as clients write them, and their partition key data.
struct ContainerUnderTest {
    explicit ContainerUnderTest(std::string_view members = "{}")
        : definition(container_definition(members)), paths(definition) {}

    model::ItemBody body(std::string_view json) const {
        return must(model::parse_item_body(json, paths));
    }
    std::string epk(const model::PartitionKeyValue& key) const {
        return model::effective_partition_key(key, definition.partition_key.kind);
    }
    ItemRef ref(const model::PartitionKeyValue& key, std::string id) const {
        return {.epk = epk(key),
                .partition_key = key.encode(),
                .id = std::move(id),
                .docnum = std::nullopt};
    }
    WriteRules rules(std::optional<std::string> if_match = std::nullopt) const {
        return {.default_ttl = definition.default_ttl, .if_match = std::move(if_match)};
    }

    Result<WrittenItem> create(ItemWriter& writer, std::string_view json) const {
        const model::ItemBody item = body(json);
        return writer.create(item, epk(item.partition_key), rules());
    }
    Result<WrittenItem> upsert(ItemWriter& writer,
                               std::string_view json,
                               std::optional<std::string> if_match = std::nullopt) const {
        const model::ItemBody item = body(json);
        return writer.upsert(item, epk(item.partition_key), rules(std::move(if_match)));
    }
    // The item of that id in the body's partition key.
    Result<WrittenItem> replace(ItemWriter& writer,
                                std::string id,
                                std::string_view json,
                                std::optional<std::string> if_match = std::nullopt) const {
        const model::ItemBody item = body(json);
        return writer.replace(
            ref(item.partition_key, std::move(id)), item, rules(std::move(if_match)));
    }
    Result<Lsn> remove(ItemWriter& writer,
                       const model::PartitionKeyValue& key,
                       std::string id,
                       std::optional<std::string> if_match = std::nullopt) const {
        return TRY(writer.remove(ref(key, std::move(id)), rules(std::move(if_match)))).lsn;
    }

    std::shared_ptr<const index::PathPolicy> policy() const {
        return must(index::PathPolicy::compile(definition));
    }

    model::ContainerDefinition definition;
    model::ItemPaths paths;
};

inline std::string joined(const std::vector<std::string>& lines) {
    std::string out;
    for (const std::string& line : lines) {
        out += line + "\n";
    }
    return out;
}

inline void expect_sound(const storage::PartitionStore& store) {
    const auto verification = verify(store);
    ASSERT_TRUE(verification) << verification.error().message();
    EXPECT_EQ(joined(verification->problems), "");
}

// A partition on a memory engine with a clock that the test moves.
class PartitionBench {
public:
    explicit PartitionBench(std::string_view members = "{}") : container(members) { open(); }

    // Simulates a restart: everything not stored is lost.
    void reopen() {
        partition->close();
        partition.reset();
        open();
    }

    Status create(std::string_view json) {
        return run(*partition, [&](ItemWriter& writer) -> Status {
            TRY(container.create(writer, json));
            return {};
        });
    }
    Status upsert(std::string_view json) {
        return run(*partition, [&](ItemWriter& writer) -> Status {
            TRY(container.upsert(writer, json));
            return {};
        });
    }
    Status remove(const model::PartitionKeyValue& key, std::string id) {
        return run(*partition, [&](ItemWriter& writer) -> Status {
            TRY(container.remove(writer, key, std::move(id)));
            return {};
        });
    }
    // The item's JSON, or nullopt.
    std::optional<std::string> read(const model::PartitionKeyValue& key, std::string id) const {
        const auto found = must(
            partition->read(container.ref(key, std::move(id)), container.definition.default_ttl));
        if (!found) return std::nullopt;
        return std::string(found->json());
    }
    storage::PartitionStore& store() { return *store_; }

    ContainerUnderTest container;
    storage::MemoryEngine engine;
    ManualClock clock{std::chrono::seconds(kStartSecond)};
    ThreadPool executors{1};
    std::shared_ptr<Partition> partition;
    std::uint64_t key_bytes_max = kNoKeyLimit;  // as of the next reopen()

private:
    void open() {
        store_ = must(engine.open(identity().storage_id));
        partition = must(Partition::open(
            identity(),
            store_,
            {.executors = executors, .clock = clock, .key_bytes_max = key_bytes_max},
            container.policy()));
    }

    std::shared_ptr<storage::PartitionStore> store_;
};

// A store whose commits can be held back, counted and made to fail.
class GatedStore final : public storage::PartitionStore {
public:
    explicit GatedStore(std::shared_ptr<storage::PartitionStore> inner)
        : inner_(std::move(inner)) {}

    // From now on commits block at the gate; wait_for_commit() returns when one does.
    void close_gate() {
        const std::lock_guard lock(mutex_);
        open_ = false;
    }
    void open_gate() {
        {
            const std::lock_guard lock(mutex_);
            open_ = true;
        }
        changed_.notify_all();
    }
    void wait_for_commit() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return waiting_; });
    }
    // The `nth` commit from now (1 is the next to pass the gate) fails.
    void fail(std::size_t nth) {
        const std::lock_guard lock(mutex_);
        failing_ = commits_ + nth;
    }
    std::size_t commits() const {
        const std::lock_guard lock(mutex_);
        return commits_;
    }

    Result<bool> get(std::string_view key, std::string& value) const override {
        return inner_->get(key, value);
    }
    Result<std::vector<std::optional<std::string>>> get_many(
        std::span<const std::string> keys) const override {
        return inner_->get_many(keys);
    }
    std::unique_ptr<storage::Cursor> scan(const storage::Range& range,
                                          storage::Direction direction) const override {
        return inner_->scan(range, direction);
    }
    std::shared_ptr<const storage::Reader> snapshot() const override { return inner_->snapshot(); }
    void start_commit(const storage::WriteBatch& batch, Done done) override {
        {
            std::unique_lock lock(mutex_);
            waiting_ = true;
            changed_.notify_all();
            changed_.wait(lock, [this] { return open_; });
            waiting_ = false;
            if (++commits_ == failing_) {
                lock.unlock();
                return done(Error(ErrorCode::kUnavailable, "the disk is full"));
            }
        }
        inner_->start_commit(batch, std::move(done));
    }

private:
    const std::shared_ptr<storage::PartitionStore> inner_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool open_ = true;
    bool waiting_ = false;
    std::size_t commits_ = 0;
    std::size_t failing_ = 0;
};

}  // namespace orrery::partition::testing_support
