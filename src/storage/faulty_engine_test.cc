#include "storage/faulty_engine.h"

#include "storage/engine_commit_conformance.h"
#include "storage/memory/memory_engine.h"

namespace orrery::storage {
namespace faulty_engine_test {

// Without faults the decorator is an engine like any other.
class FaultyHarness {
public:
    FaultyEngine& engine() { return faulty_; }
    void reopen() { faulty_.reopen(); }
    void fence(PartitionId id) { memory_.fence(id); }

private:
    MemoryEngine memory_;
    FaultyEngine faulty_{memory_};
};

}  // namespace faulty_engine_test

namespace conformance {
namespace faulty_engine_test {

using storage::faulty_engine_test::FaultyHarness;

INSTANTIATE_TYPED_TEST_SUITE_P(FaultyWithoutFaults, EngineConformance, FaultyHarness);
INSTANTIATE_TYPED_TEST_SUITE_P(FaultyWithoutFaults, EngineWithoutWaiting, FaultyHarness);
INSTANTIATE_TYPED_TEST_SUITE_P(FaultyWithoutFaults, EngineFencing, FaultyHarness);

class FaultyEngineTest : public testing::Test {
protected:
    // Three commits of one key each; stops at the first failure. Returns how many were
    // acknowledged.
    int write_three() {
        const auto store = faulty_.open(1);
        for (int i = 0; i < 3; ++i) {
            WriteBatch batch;
            batch.put(std::to_string(i), "v");
            const Status status = (*store)->commit(batch);
            if (!status) {
                EXPECT_EQ(status.error().code(), ErrorCode::kUnavailable);
                return i;
            }
        }
        return 3;
    }

    std::string found() { return keys(**memory_.open(1), everything()); }

    MemoryEngine memory_;
    FaultyEngine faulty_{memory_};
};

TEST_F(FaultyEngineTest, FailsExactlyTheNthWrite) {
    const std::vector<std::string> left{"", "0", "0 1", "0 1 2"};
    for (unsigned n = 1; n <= 4; ++n) {
        ASSERT_TRUE(memory_.drop(1));
        faulty_.reopen();
        faulty_.inject(Fault::kFail, n);
        EXPECT_EQ(write_three(), static_cast<int>(n) - 1);
        EXPECT_EQ(found(), left[n - 1]);
        EXPECT_FALSE(faulty_.crashed());
    }
    EXPECT_EQ(faulty_.writes(), 3U);
}

TEST_F(FaultyEngineTest, WorksAgainAfterAFailure) {
    faulty_.inject(Fault::kFail, 2);
    EXPECT_EQ(write_three(), 1);
    EXPECT_EQ(write_three(), 3);
    EXPECT_EQ(found(), "0 1 2");
}

TEST_F(FaultyEngineTest, CrashBeforeLosesTheWriteCrashAfterKeepsIt) {
    faulty_.inject(Fault::kCrashBefore, 2);
    EXPECT_EQ(write_three(), 1);
    EXPECT_TRUE(faulty_.crashed());
    EXPECT_EQ(found(), "0");
    faulty_.reopen();
    faulty_.inject(Fault::kCrashAfter, 2);
    EXPECT_EQ(write_three(), 1);
    EXPECT_EQ(found(), "0 1");
}

TEST_F(FaultyEngineTest, NothingWorksAfterACrashUntilReopened) {
    const auto store = faulty_.open(1);
    put(**store, "a", "1");
    const auto snapshot = (*store)->snapshot();
    const auto cursor = (*store)->scan(everything(), Direction::kForward);
    faulty_.inject(Fault::kCrashAfter, 1);
    EXPECT_FALSE(faulty_.drop(2));
    EXPECT_FALSE(faulty_.open(1));

    std::string value;
    const auto expect_dead = [&](const Reader& reader) {
        EXPECT_FALSE(reader.get("a", value));
        EXPECT_FALSE(reader.get_many({}));
        const auto dead = reader.scan(everything(), Direction::kForward);
        EXPECT_FALSE(dead->valid());
        EXPECT_FALSE(dead->status());
    };
    expect_dead(**store);
    expect_dead(*snapshot);
    EXPECT_FALSE(cursor->valid());
    EXPECT_FALSE(cursor->status());
    EXPECT_FALSE((*store)->commit(WriteBatch()));

    faulty_.reopen();
    EXPECT_EQ(value_of(**faulty_.open(1), "a"), "1");
    expect_dead(**store);
}

TEST_F(FaultyEngineTest, DropsAndNonEmptyBatchesCountAsWrites) {
    put(**faulty_.open(1), "a", "1");
    EXPECT_EQ(faulty_.writes(), 1U);
    ASSERT_TRUE((*faulty_.open(1))->commit(WriteBatch()));
    EXPECT_EQ(faulty_.writes(), 1U);
    faulty_.inject(Fault::kFail, 1);
    EXPECT_FALSE(faulty_.drop(1));
    EXPECT_EQ(found(), "a");
    ASSERT_TRUE(faulty_.drop(1));
    EXPECT_EQ(found(), "");
    EXPECT_EQ(faulty_.writes(), 3U);
}

TEST_F(FaultyEngineTest, FaultCanBeCancelled) {
    faulty_.inject(Fault::kCrashBefore, 1);
    faulty_.clear();
    EXPECT_EQ(write_three(), 3);
}

}  // namespace faulty_engine_test
}  // namespace conformance
}  // namespace orrery::storage
