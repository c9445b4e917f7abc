#include "service/partitions.h"

#include <atomic>
#include <gmock/gmock.h>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "service/test_support.h"
#include "storage/engine_test_support.h"
#include "storage/faulty_engine.h"

namespace orrery::service {
namespace partitions_test {

using testing::IsEmpty;
using testing_support::code_of;
using testing_support::item;
using testing_support::ItemOutcome;
using testing_support::must;
using testing_support::Services;
using testing_support::ServiceTest;

class PartitionsTest : public ServiceTest {
protected:
    bool has_data(storage::PartitionId id) {
        return !storage::testing_support::keys(*must(engine_.open(id)), {}).empty();
    }
};

TEST_F(PartitionsTest, OpensAPartitionOnce) {
    const auto container = services_.container("{}", 3);
    EXPECT_EQ(services_.partitions->find(container->ranges[1].partition), nullptr);
    const auto first = must(services_.partitions->open(*container, 1));
    EXPECT_EQ(first->identity().range_id, 1U);
    EXPECT_EQ(first->identity().storage_id, container->ranges[1].partition);
    EXPECT_EQ(must(services_.partitions->open(*container, 1)), first);
    EXPECT_EQ(services_.partitions->find(container->ranges[1].partition), first);
    EXPECT_NE(must(services_.partitions->open(*container, 2)), first);
}

TEST_F(PartitionsTest, DoesNotReopenARemovedContainer) {
    const auto container = services_.container();
    ASSERT_TRUE(services_.catalog->remove_container(container->rid, std::nullopt));
    EXPECT_EQ(code_of(services_.partitions->open(*container, 0)), "404/1003");
}

TEST_F(PartitionsTest, DoesNotReopenARetiredPartition) {
    const auto container = services_.container("{}", 2);
    catalog::Container stale = *container;
    stale.ranges[0].partition = 77;  // another range has taken over its keys
    EXPECT_EQ(code_of(services_.partitions->open(stale, 0)), "410/1002");
    EXPECT_TRUE(services_.partitions->open(stale, 1));
    EXPECT_FALSE(has_data(77));
}

TEST_F(PartitionsTest, OpensOnlyWhereItMayBlock) {
    const auto container = services_.container();
    const auto refused = services_.partitions->open(*container, 0, {.may_block = false});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kWouldBlock);
    const auto opened = must(services_.partitions->open(*container, 0));
    EXPECT_EQ(must(services_.partitions->open(*container, 0, {.may_block = false})), opened);
}

TEST_F(PartitionsTest, ReopensAFencedPartition) {
    const auto container = services_.container();
    ASSERT_TRUE(services_.create(container, R"({"id":"1","pk":"a"})").answer);
    const auto before = must(services_.partitions->open(*container, 0));
    engine_.fence(container->ranges[0].partition);
    const ItemOutcome refused = services_.create(container, R"({"id":"2","pk":"a"})");
    ASSERT_FALSE(refused.answer);
    EXPECT_EQ(refused.answer.error().code(), ErrorCode::kFenced);
    EXPECT_TRUE(before->is_closed());
    EXPECT_NE(must(services_.partitions->open(*container, 0)), before);
}

TEST_F(PartitionsTest, ClosesPartitionsThatNobodyUses) {
    const auto container = services_.container("{}", 3);
    const auto held = must(services_.partitions->open(*container, 0));
    ASSERT_TRUE(services_.partitions->open(*container, 1));
    ASSERT_TRUE(services_.partitions->open(*container, 2));
    services_.partitions->close_unused();
    EXPECT_EQ(services_.partitions->open_count(), 3U) << "all were used since they were opened";
    ASSERT_TRUE(services_.partitions->open(*container, 1));
    services_.partitions->close_unused();
    EXPECT_EQ(services_.partitions->find(container->ranges[2].partition), nullptr);
    EXPECT_NE(services_.partitions->find(container->ranges[1].partition), nullptr) << "used";
    EXPECT_NE(services_.partitions->find(container->ranges[0].partition), nullptr) << "held";
    EXPECT_TRUE(services_.partitions->open(*container, 2));
}

TEST_F(PartitionsTest, DroppingRemovesTheDataAndTheListEntry) {
    const auto kept = services_.container(R"({"id":"kept"})");
    const auto gone = services_.container(R"({"id":"gone"})", 3);
    for (int i = 0; i < 20; ++i) {
        const std::string body = R"({"id":"1","pk":")" + std::to_string(i) + "\"}";
        ASSERT_TRUE(services_.create(kept, body).answer);
        ASSERT_TRUE(services_.create(gone, body).answer);
    }
    ASSERT_TRUE(services_.catalog->remove_container(gone->rid, std::nullopt));
    ASSERT_TRUE(services_.drop_removed());
    EXPECT_THAT(services_.catalog->partitions_to_drop(), IsEmpty());
    for (const auto& range : gone->ranges) {
        EXPECT_FALSE(has_data(range.partition));
        EXPECT_EQ(services_.partitions->find(range.partition), nullptr);
    }
    EXPECT_TRUE(has_data(kept->ranges[0].partition));
    EXPECT_EQ(services_.items->usage(*kept)->item_count, 20U);
    ASSERT_TRUE(services_.drop_removed());
}

TEST_F(PartitionsTest, DropsAfterARestartWhatWasRemovedBefore) {
    const auto gone = services_.container();
    ASSERT_TRUE(services_.create(gone, R"({"id":"1","pk":"a"})").answer);
    ASSERT_TRUE(services_.catalog->remove_container(gone->rid, std::nullopt));
    Services restarted(engine_, clock_);
    ASSERT_TRUE(restarted.start());
    ASSERT_TRUE(restarted.drop_removed());
    EXPECT_FALSE(has_data(gone->ranges[0].partition));
    EXPECT_THAT(restarted.catalog->partitions_to_drop(), IsEmpty());
}

TEST_F(PartitionsTest, RetriesAFailedDrop) {
    storage::FaultyEngine faulty(engine_);
    Services services(faulty, clock_);
    ASSERT_TRUE(services.start());
    const auto gone = services.container(R"({"id":"x"})");
    ASSERT_TRUE(services.create(gone, R"({"id":"1","pk":"a"})").answer);
    ASSERT_TRUE(services.catalog->remove_container(gone->rid, std::nullopt));
    for (const std::uint64_t nth : {1U, 2U}) {  // the drop itself, and removing its list entry
        faulty.inject(storage::Fault::kFail, nth);
        EXPECT_EQ(code_of(services.drop_removed()), "503");
        EXPECT_EQ(services.catalog->partitions_to_drop().size(), 1U);
    }
    EXPECT_TRUE(services.drop_removed());
    EXPECT_THAT(services.catalog->partitions_to_drop(), IsEmpty());
    EXPECT_FALSE(has_data(gone->ranges[0].partition));
}

TEST_F(PartitionsTest, RetriesAFailedOpen) {
    storage::FaultyEngine faulty(engine_);
    Services services(faulty, clock_);
    ASSERT_TRUE(services.start());
    const auto container = services.container();
    ASSERT_TRUE(services.create(container, R"({"id":"1","pk":"a"})").answer);
    storage::testing_support::put(*must(engine_.open(99)), "M", "damaged");
    catalog::Container damaged = *container;
    damaged.ranges[0].partition = 99;
    EXPECT_FALSE(services.partitions->open(damaged, 0));
    EXPECT_FALSE(services.partitions->open(damaged, 0));
    EXPECT_EQ(services.partitions->find(99), nullptr);
    EXPECT_TRUE(services.partitions->open(*container, 0));
}

// Requests that still hold the container are answered, and the data stays dropped.
TEST_F(PartitionsTest, AnswersAllWritersOfARemovedContainer) {
    for (int round = 0; round < 10; ++round) {
        const auto container = services_.container("{}", 2);
        std::atomic<int> started = 0;
        std::atomic<int> wrong = 0;
        const auto write_until_refused = [&](int number) {
            for (int i = 0;; ++i) {
                const std::string id = std::to_string(number) + "-" + std::to_string(i);
                const auto outcome = services_.create(container, item(id, id));
                ++started;
                if (outcome.answer) continue;
                // A write that finds the partition just closed is to be routed again.
                const std::string code = code_of(outcome.answer);
                if (code != "404/1003" && code != "410/1002") ++wrong;
                return;
            }
        };
        std::vector<std::thread> writers(3);
        for (int t = 0; t < 3; ++t) {
            writers[static_cast<std::size_t>(t)] = std::thread(write_until_refused, t);
        }
        while (started < 20) {
            std::this_thread::yield();
        }
        ASSERT_TRUE(services_.catalog->remove_container(container->rid, std::nullopt));
        ASSERT_TRUE(services_.partitions->drop_removed());
        for (std::thread& writer : writers) {
            writer.join();
        }
        // Partitions that were in use stayed for now.
        while (must(services_.partitions->drop_removed())) {
        }
        EXPECT_EQ(wrong, 0);
        for (const auto& range : container->ranges) {
            EXPECT_FALSE(has_data(range.partition));
        }
    }
}

}  // namespace partitions_test
}  // namespace orrery::service
