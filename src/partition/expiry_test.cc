#include "partition/expiry.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "partition/test_support.h"

namespace orrery::partition {
namespace expiry_test {

using std::chrono::seconds;
using testing_support::expect_sound;
using testing_support::GatedStore;
using testing_support::identity;
using testing_support::item;
using testing_support::must;
using testing_support::PartitionBench;

class ExpiryTest : public testing::Test {
protected:
    static constexpr std::size_t kRoundsMax = 100;

    std::vector<Docnum> find(std::int32_t default_ttl, std::size_t limit = 1000) {
        return must(find_expired(*bench_.partition, default_ttl, limit, position_));
    }
    static void remove(Partition& partition, std::vector<Docnum> items, std::int32_t default_ttl) {
        std::promise<void> done;
        partition.submit(
            make_expire_task(std::move(items), default_ttl, [&](bool) { done.set_value(); }));
        done.get_future().wait();
    }
    // Sweeps until nothing is left; returns the number of items per round.
    std::vector<std::size_t> sweep(std::int32_t default_ttl, std::size_t limit) {
        std::vector<std::size_t> rounds;
        for (auto found = find(default_ttl, limit); !found.empty();
             found = find(default_ttl, limit)) {
            rounds.push_back(found.size());
            if (rounds.size() > kRoundsMax) {
                ADD_FAILURE() << "found items were not removed";
                break;
            }
            remove(*bench_.partition, std::move(found), default_ttl);
        }
        expect_sound(bench_.store());
        return rounds;
    }
    void create(const std::string& id, const std::string& rest = "") {
        ASSERT_TRUE(bench_.create(item(id, "a", rest)));
    }
    std::string left() const {
        std::string ids;
        for (const char* id : {"1", "2", "3", "4", "5", "6"}) {
            if (must(bench_.partition->read(bench_.container.ref({"a"}, id), std::nullopt))) {
                ids += id;
            }
        }
        return ids;
    }

    PartitionBench bench_{R"({"defaultTtl":100})"};
    SweepPosition position_;
};

TEST_F(ExpiryTest, NothingExpiresBeforeItsTime) {
    create("1");
    create("2", R"(,"ttl":50)");
    EXPECT_TRUE(find(100).empty());
    bench_.clock.advance(seconds(49));
    EXPECT_TRUE(find(100).empty());
    bench_.clock.advance(seconds(1));
    EXPECT_EQ(find(100).size(), 1U);
    bench_.clock.advance(seconds(49));
    EXPECT_EQ(find(100).size(), 1U);
    bench_.clock.advance(seconds(1));
    EXPECT_EQ(find(100).size(), 2U);
}

TEST_F(ExpiryTest, OwnTtlOverridesTheDefault) {
    create("1");
    create("2", R"(,"ttl":10)");
    create("3", R"(,"ttl":1000)");
    create("4", R"(,"ttl":-1)");
    bench_.clock.advance(seconds(100));
    sweep(100, 10);
    EXPECT_EQ(left(), "34");
    bench_.clock.advance(seconds(900));
    sweep(100, 10);
    EXPECT_EQ(left(), "4");
    bench_.clock.advance(seconds(1'000'000));
    EXPECT_TRUE(find(100).empty());
}

TEST_F(ExpiryTest, WithoutADefaultOnlyOwnTtlsApply) {
    create("1");
    create("2", R"(,"ttl":10)");
    bench_.clock.advance(seconds(1'000'000));
    sweep(-1, 10);
    EXPECT_EQ(left(), "1");
}

TEST_F(ExpiryTest, WriteRestartsTheTtl) {
    create("1");
    create("2", R"(,"ttl":50)");
    bench_.clock.advance(seconds(40));
    ASSERT_TRUE(bench_.upsert(item("1", "a")));
    ASSERT_TRUE(bench_.upsert(item("2", "a", R"(,"ttl":50)")));
    bench_.clock.advance(seconds(49));
    EXPECT_TRUE(find(100).empty());
    bench_.clock.advance(seconds(1));
    EXPECT_EQ(find(100).size(), 1U);
    bench_.clock.advance(seconds(50));
    EXPECT_EQ(find(100).size(), 2U);
}

TEST_F(ExpiryTest, SweepsInRoundsOfLimitedSize) {
    for (int i = 0; i < 25; ++i) {
        create("x" + std::to_string(i), i % 2 == 0 ? "" : R"(,"ttl":20)");
    }
    bench_.clock.advance(seconds(100));
    EXPECT_EQ(sweep(100, 10), (std::vector<std::size_t>{10, 10, 5}));
    EXPECT_EQ(bench_.partition->item_count(), 0U);
}

TEST_F(ExpiryTest, SkipsItemsThatStay) {
    create("1", R"(,"ttl":-1)");
    create("2", R"(,"ttl":100000)");
    create("3");
    bench_.clock.advance(seconds(60));
    create("4");
    bench_.clock.advance(seconds(40));
    sweep(100, 1);
    EXPECT_EQ(left(), "124");
    bench_.clock.advance(seconds(60));
    sweep(100, 1);
    EXPECT_EQ(left(), "12");
}

// A sweep's position is valid for any default, because it does not move past an item that is
// subject to the default.
TEST_F(ExpiryTest, ChangedDefaultMissesNothing) {
    create("4", R"(,"ttl":-1)");
    create("1");
    bench_.clock.advance(seconds(10));
    create("2");
    bench_.clock.advance(seconds(10));
    create("3");
    EXPECT_TRUE(find(100).empty());
    sweep(15, 10);
    EXPECT_EQ(left(), "234");
    sweep(1000, 10);
    EXPECT_EQ(left(), "234");
    EXPECT_TRUE(find(-1).empty());
    sweep(10, 10);
    EXPECT_EQ(left(), "34");
    sweep(1, 10);
    EXPECT_EQ(left(), "34");
    bench_.clock.advance(seconds(1));
    sweep(1, 10);
    EXPECT_EQ(left(), "4");
}

TEST_F(ExpiryTest, RemovalChecksExpiryAgain) {
    create("1");
    create("2");
    bench_.clock.advance(seconds(100));
    const auto found = find(100);
    ASSERT_EQ(found.size(), 2U);
    ASSERT_TRUE(bench_.upsert(item("1", "a")));
    remove(*bench_.partition, found, 100);
    EXPECT_EQ(left(), "1");
    remove(*bench_.partition, found, 100);
    EXPECT_EQ(left(), "1");
    expect_sound(bench_.store());
}

TEST_F(ExpiryTest, FindsItemsAgainAfterAFailedRemoval) {
    for (const char* id : {"1", "2", "3"}) {
        create(id);
    }
    const auto gated = std::make_shared<GatedStore>(must(bench_.engine.open(7)));
    const auto failing =
        must(Partition::open(identity(),
                             gated,
                             {.executors = bench_.executors, .clock = bench_.clock},
                             bench_.container.policy()));
    bench_.clock.advance(seconds(100));
    const auto found = find(100, 2);
    ASSERT_EQ(found.size(), 2U);
    gated->fail(1);
    remove(*failing, found, 100);
    EXPECT_EQ(left(), "123");
    EXPECT_EQ(find(100, 2), found);
    remove(*failing, found, 100);
    EXPECT_EQ(left(), "3");
    failing->close();
    EXPECT_EQ(find(100, 2).size(), 1U);
}

TEST_F(ExpiryTest, ReportsDamagedEntries) {
    for (const char* key : {"T", "L"}) {
        storage::WriteBatch batch;
        batch.put(key, "");
        ASSERT_TRUE(bench_.store().commit(batch));
        const auto found = find_expired(*bench_.partition, 100, 10, position_);
        ASSERT_FALSE(found) << key;
        EXPECT_EQ(found.error().code(), ErrorCode::kCorrupted);
        batch.clear();
        batch.remove(key);
        ASSERT_TRUE(bench_.store().commit(batch));
    }
}

TEST_F(ExpiryTest, RoundVisitsALimitedPartOfTheLog) {
    constexpr int kForever = 10'100;
    ASSERT_TRUE(testing_support::run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        for (int i = 0; i < kForever; ++i) {
            TRY(bench_.container.create(writer,
                                        item("k" + std::to_string(i), "b", R"(,"ttl":-1)")));
        }
        TRY(bench_.container.create(writer, item("1", "a")));
        return {};
    }));
    bench_.clock.advance(seconds(100));
    EXPECT_TRUE(find(100).empty());
    EXPECT_EQ(find(100).size(), 1U);
}

}  // namespace expiry_test
}  // namespace orrery::partition
