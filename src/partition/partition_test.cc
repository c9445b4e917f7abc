#include "partition/partition.h"

#include <atomic>
#include <future>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "partition/test_support.h"

namespace orrery::partition {
namespace partition_test {

using testing_support::ContainerUnderTest;
using testing_support::expect_sound;
using testing_support::FunctionTask;
using testing_support::GatedStore;
using testing_support::identity;
using testing_support::item;
using testing_support::kStartSecond;
using testing_support::must;
using testing_support::PartitionBench;
using testing_support::run;

// A partition whose commits the test can hold back.
class GatedPartition : public testing::Test {
protected:
    void SetUp() override {
        // The executor writes to elements while the test adds more: they must not move.
        outcomes_.reserve(kWritesMax);
        lsns_.reserve(kWritesMax);
        store_ = std::make_shared<GatedStore>(must(engine_.open(7)));
        partition_ = must(Partition::open(
            identity(), store_, {.executors = executors_, .clock = clock_}, container_.policy()));
    }

    static constexpr std::size_t kWritesMax = 2000;

    // Queues a create; its outcome goes to outcomes_ at the same index.
    void submit_create(const std::string& json) {
        const std::size_t at = outcomes_.size();
        outcomes_.emplace_back("waiting");
        lsns_.push_back(0);
        partition_->submit(std::make_unique<FunctionTask>(
            [this, at, json](ItemWriter& writer) -> Status {
                lsns_[at] = TRY(container_.create(writer, json)).item.header().lsn;
                return {};
            },
            [this, at](Status status) {
                outcomes_[at] = status ? "done" : status.error().message();
                ++completed_;
            }));
    }

    // Queues a first write that blocks at the gate, so that later ones have to wait.
    void block_with_one_write() {
        store_->close_gate();
        submit_create(item("blocker", "x"));
        store_->wait_for_commit();
    }
    // The same, and its commit takes long enough to be called slow.
    void block_with_one_slow_write(int number) {
        store_->close_gate();
        submit_create(item("blocker " + std::to_string(number), "x"));
        store_->wait_for_commit();
        std::this_thread::sleep_for(4 * Gathering::kSlow);
    }
    void finish() {
        store_->open_gate();
        wait_for_answers();
    }
    void wait_for_answers() {
        while (completed_ < outcomes_.size()) {
            std::this_thread::yield();
        }
    }

    storage::MemoryEngine engine_;
    ManualClock clock_{std::chrono::seconds(kStartSecond)};
    ContainerUnderTest container_;
    std::shared_ptr<GatedStore> store_;
    std::vector<std::string> outcomes_;
    std::vector<Lsn> lsns_;
    std::atomic<std::size_t> completed_ = 0;
    ThreadPool executors_{2};
    std::shared_ptr<Partition> partition_;
};

constexpr const char* kTaken = "Resource with specified id or name already exists.";

TEST_F(GatedPartition, WaitingWritesShareOneCommit) {
    block_with_one_write();
    for (int i = 0; i < 20; ++i) {
        submit_create(item(std::to_string(i), "a"));
    }
    EXPECT_EQ(completed_, 0U);
    finish();
    EXPECT_EQ(store_->commits(), 2U);
    EXPECT_EQ(outcomes_, std::vector<std::string>(21, "done"));
    EXPECT_EQ(partition_->item_count(), 21U);
    for (std::size_t i = 0; i < lsns_.size(); ++i) {
        EXPECT_EQ(lsns_[i], static_cast<Lsn>(i + 1)) << "in the order they were submitted";
    }
    expect_sound(*store_);
}

TEST_F(GatedPartition, LimitsWritesPerCommit) {
    block_with_one_write();
    for (int i = 0; i < 1025; ++i) {
        submit_create(item(std::to_string(i), "a"));
    }
    finish();
    EXPECT_EQ(store_->commits(), 1U + 3U);  // 512, 512 and 1
    EXPECT_EQ(partition_->item_count(), 1026U);
    EXPECT_EQ(lsns_.back(), 1026);
}

TEST_F(GatedPartition, RefusedWriteDoesNotAffectOthers) {
    block_with_one_write();
    submit_create(item("1", "a"));
    submit_create(item("1", "a"));
    submit_create(item("2", "a"));
    finish();
    EXPECT_EQ(outcomes_, (std::vector<std::string>{"done", "done", kTaken, "done"}));
    EXPECT_EQ(lsns_, (std::vector<Lsn>{1, 2, 0, 3}));
    EXPECT_EQ(store_->commits(), 2U);
    expect_sound(*store_);
}

TEST_F(GatedPartition, RefusalAloneNeedsNoCommit) {
    submit_create(item("1", "a"));
    EXPECT_FALSE(
        run(*partition_, [](ItemWriter&) -> Status { return Error(ErrorCode::kConflict, "no"); }));
    EXPECT_TRUE(run(*partition_, [](ItemWriter&) -> Status { return {}; }));
    EXPECT_EQ(store_->commits(), 1U);
    EXPECT_EQ(partition_->lsn(), 1);
}

TEST_F(GatedPartition, FailedCommitFailsAllItsWrites) {
    block_with_one_write();
    submit_create(item("1", "a"));
    submit_create(item("1", "a"));  // would be refused if the one before it had succeeded
    submit_create(item("2", "a"));
    store_->fail(2);
    store_->open_gate();
    wait_for_answers();
    EXPECT_EQ(outcomes_,
              (std::vector<std::string>{
                  "done", "the disk is full", "the disk is full", "the disk is full"}));
    EXPECT_EQ(partition_->lsn(), 1);
    EXPECT_EQ(partition_->item_count(), 1U);
    EXPECT_FALSE(must(partition_->read(container_.ref({"a"}, "1"), std::nullopt)));
    expect_sound(*store_);

    submit_create(item("1", "a"));
    submit_create(item("2", "a"));
    finish();
    EXPECT_EQ(outcomes_[4], "done");
    EXPECT_EQ(outcomes_[5], "done");
    EXPECT_EQ(partition_->lsn(), 3);
    expect_sound(*store_);
}

TEST_F(GatedPartition, AWriteThatThrowsFailsAlone) {
    block_with_one_write();
    submit_create(item("1", "a"));
    std::promise<Status> outcome;
    partition_->submit(std::make_unique<FunctionTask>(
        [this](ItemWriter& writer) -> Status {
            must(container_.create(writer, item("half done", "a")));
            throw std::bad_alloc();
        },
        [&](Status status) { outcome.set_value(std::move(status)); }));
    submit_create(item("2", "a"));
    finish();
    EXPECT_EQ(outcome.get_future().get().error().code(), ErrorCode::kInternal);
    EXPECT_EQ(outcomes_, (std::vector<std::string>{"done", "done", "done"}));
    EXPECT_FALSE(must(partition_->read(container_.ref({"a"}, "half done"), std::nullopt)));
    EXPECT_EQ(partition_->lsn(), 3);
    expect_sound(*store_);
}

TEST_F(GatedPartition, ACompletionThatThrowsDoesNotAffectOthers) {
    block_with_one_write();
    partition_->submit(std::make_unique<FunctionTask>([](ItemWriter&) -> Status { return {}; },
                                                      [](Status) { throw std::bad_alloc(); }));
    submit_create(item("1", "a"));
    finish();
    submit_create(item("2", "a"));
    wait_for_answers();
    EXPECT_EQ(outcomes_, (std::vector<std::string>{"done", "done", "done"}));
}

TEST_F(GatedPartition, ReadsDoNotWaitForWritesAndSeeOnlyCommittedOnes) {
    block_with_one_write();
    EXPECT_FALSE(must(partition_->read(container_.ref({"x"}, "blocker"), std::nullopt)));
    EXPECT_EQ(partition_->lsn(), 0);
    finish();
    EXPECT_TRUE(must(partition_->read(container_.ref({"x"}, "blocker"), std::nullopt)));
    EXPECT_EQ(partition_->lsn(), 1);
}

// After a slow commit the partition waits a little for the writers that were answered
// (gathering.h).
TEST_F(GatedPartition, WritesThatWaitForOthersAreDoneEvenIfNobodyComes) {
    for (int round = 0; round < 5; ++round) {
        block_with_one_slow_write(round);
        for (int i = 0; i < 3; ++i) {
            submit_create(item(std::to_string(round) + "-" + std::to_string(i), "a"));
        }
        finish();
    }
    EXPECT_EQ(outcomes_, std::vector<std::string>(20, "done"));
    EXPECT_EQ(partition_->lsn(), 20);
    expect_sound(*store_);
}

TEST_F(GatedPartition, WritesThatAreWaitedForMayComeAtAnyTime) {
    for (int round = 0; round < 20; ++round) {
        block_with_one_slow_write(round);
        submit_create(item(std::to_string(round) + "-first", "a"));
        store_->open_gate();
        submit_create(item(std::to_string(round) + "-second", "a"));
        wait_for_answers();
    }
    EXPECT_EQ(outcomes_, std::vector<std::string>(60, "done"));
    EXPECT_EQ(partition_->lsn(), 60);
    expect_sound(*store_);
}

TEST_F(GatedPartition, CloseEndsTheWaitForOthers) {
    block_with_one_slow_write(0);
    submit_create(item("1", "a"));
    store_->open_gate();
    partition_->close();
    EXPECT_EQ(partition_->lsn(), 2);
    wait_for_answers();
    EXPECT_EQ(outcomes_, (std::vector<std::string>{"done", "done"}));
}

TEST_F(GatedPartition, CloseWaitsForPendingWrites) {
    block_with_one_write();
    submit_create(item("1", "a"));
    Lsn committed_at_close = 0;
    std::thread closer([&] {
        partition_->close();
        committed_at_close = partition_->lsn();
    });
    store_->open_gate();
    closer.join();
    EXPECT_EQ(committed_at_close, 2);
    wait_for_answers();
    EXPECT_EQ(outcomes_, (std::vector<std::string>{"done", "done"}));
}

TEST_F(GatedPartition, AfterCloseWritesAreRefusedAndReadsWork) {
    submit_create(item("1", "a"));
    partition_->close();
    const Status refused = run(*partition_, [](ItemWriter&) -> Status { return {}; });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kGone);
    EXPECT_EQ(refused.error().sub_status(), 1002U);
    wait_for_answers();
    EXPECT_EQ(outcomes_[0], "done");
    EXPECT_TRUE(must(partition_->read(container_.ref({"a"}, "1"), std::nullopt)));
    partition_->close();
}

TEST(Partition, ManyThreadsMayWriteAtOnce) {
    constexpr int kThreads = 4;
    constexpr int kWrites = 100;
    PartitionBench bench;
    std::atomic<int> done = 0;
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < kWrites; ++i) {
                const std::string id = std::to_string(t) + "-" + std::to_string(i);
                if (bench.create(item(id, "a"))) ++done;
                if (!bench.read({"a"}, id)) --done;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(done, kThreads * kWrites);
    EXPECT_EQ(bench.partition->item_count(), static_cast<std::uint64_t>(kThreads * kWrites));
    EXPECT_EQ(bench.partition->lsn(), kThreads * kWrites);
    expect_sound(bench.store());
}

TEST(Partition, LsnAndCountersContinueAfterAReopen) {
    PartitionBench bench;
    ASSERT_TRUE(bench.create(item("1", "a")));
    ASSERT_TRUE(bench.create(item("2", "a")));
    ASSERT_TRUE(bench.remove({"a"}, "2"));
    const std::uint64_t bytes = bench.partition->item_bytes();
    bench.reopen();
    EXPECT_EQ(bench.partition->lsn(), 3);
    EXPECT_EQ(bench.partition->item_count(), 1U);
    EXPECT_EQ(bench.partition->item_bytes(), bytes);
    ASSERT_TRUE(bench.create(item("2", "a")));
    EXPECT_EQ(bench.partition->lsn(), 4);
    EXPECT_NE(bench.read({"a"}, "2")->find("00000000-0004-"), std::string::npos);
}

TEST(Partition, DamagedCountersAreRefused) {
    PartitionBench bench;
    storage::WriteBatch batch;
    // Counting on from the last three would overflow etags, rids or dates.
    for (const std::string& damaged : {std::string("short"),
                                       State{.lsn = -1}.encode(),
                                       State{.lsn = Lsn{1} << 48}.encode(),
                                       State{.last_item = Docnum{1} << 40}.encode(),
                                       State{.last_timestamp = Lsn{1} << 62}.encode()}) {
        batch.put(state_key(), damaged);
        ASSERT_TRUE(bench.store().commit(batch));
        const auto opened = Partition::open(identity(),
                                            must(bench.engine.open(7)),
                                            {.executors = bench.executors, .clock = bench.clock},
                                            bench.container.policy());
        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().code(), ErrorCode::kCorrupted);
    }
}

TEST(Partition, ReadFindsByIdAndByNumber) {
    PartitionBench bench;
    ASSERT_TRUE(bench.create(item("1", "a")));
    const auto& container = bench.container;
    const auto found = must(bench.partition->read(container.ref({"a"}, "1"), std::nullopt));
    ASSERT_TRUE(found);
    ItemRef by_number{
        .epk = {}, .partition_key = std::nullopt, .id = {}, .docnum = found->docnum()};
    EXPECT_TRUE(must(bench.partition->read(by_number, std::nullopt)));
    by_number.partition_key = model::PartitionKeyValue{"b"}.encode();
    EXPECT_FALSE(must(bench.partition->read(by_number, std::nullopt)));
    by_number.docnum = found->docnum() + 1;
    EXPECT_FALSE(must(bench.partition->read(by_number, std::nullopt)));
    EXPECT_FALSE(bench.read({"a"}, "2"));
    EXPECT_FALSE(bench.read({"b"}, "1"));
}

TEST(Partition, ReadHidesExpiredItems) {
    PartitionBench bench(R"({"defaultTtl":10})");
    ASSERT_TRUE(bench.create(item("1", "a")));
    ASSERT_TRUE(bench.create(item("2", "a", R"(,"ttl":-1)")));
    bench.clock.advance(std::chrono::seconds(9));
    EXPECT_TRUE(bench.read({"a"}, "1"));
    bench.clock.advance(std::chrono::seconds(1));
    EXPECT_FALSE(bench.read({"a"}, "1"));
    EXPECT_TRUE(bench.read({"a"}, "2"));
    EXPECT_TRUE(must(bench.partition->read(bench.container.ref({"a"}, "1"), std::nullopt)));
}

TEST(Partition, DanglingIdEntryIsCorruption) {
    PartitionBench bench;
    storage::WriteBatch batch;
    batch.put(id_key(bench.container.epk({"a"}), "1"), docnum_value(5));
    ASSERT_TRUE(bench.store().commit(batch));
    const auto read = bench.partition->read(bench.container.ref({"a"}, "1"), std::nullopt);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code(), ErrorCode::kCorrupted);
}

TEST(Partition, DamagedEntriesAreCorruptionForReadsAndWrites) {
    PartitionBench bench(R"({"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}})");
    ASSERT_TRUE(bench.create(item("1", "a", R"(,"u":1)")));
    const auto damage = [&](const std::string& key) {
        storage::WriteBatch batch;
        batch.put(key, "short");
        ASSERT_TRUE(bench.store().commit(batch));
    };
    const std::string epk = bench.container.epk({"a"});
    const auto stored = must(bench.partition->read(bench.container.ref({"a"}, "1"), std::nullopt));
    damage(unique_key(epk, 0, stored->unique_digest(0)));
    const Status unique = bench.create(item("2", "a", R"(,"u":1)"));
    ASSERT_FALSE(unique);
    EXPECT_EQ(unique.error().code(), ErrorCode::kCorrupted);

    damage(id_key(epk, "1"));
    const auto read = bench.partition->read(bench.container.ref({"a"}, "1"), std::nullopt);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code(), ErrorCode::kCorrupted);
    const Status written = bench.upsert(item("1", "a"));
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code(), ErrorCode::kCorrupted);
    EXPECT_TRUE(bench.create(item("3", "a", R"(,"u":3)")));
}

}  // namespace partition_test
}  // namespace orrery::partition
