#include "partition/key_deletes.h"

#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "model/limits.h"
#include "partition/feed.h"
#include "partition/key_delete_tasks.h"
#include "partition/snapshot.h"
#include "partition/test_support.h"

namespace orrery::partition {
namespace key_deletes_test {

using testing_support::item;
using testing_support::must;
using testing_support::PartitionBench;
using testing_support::run;

class KeyDeletesTest : public testing::Test {
protected:
    Status delete_key(const model::PartitionKeyValue& key) {
        return run(*bench_.partition, [&](ItemWriter& writer) { return delete_in(writer, key); });
    }
    Status delete_in(ItemWriter& writer, const model::PartitionKeyValue& key) {
        TRY(writer.delete_key(key.encode(), bench_.container.epk(key)));
        return {};
    }
    // Runs one step; returns whether the delete has ended.
    bool sweep(const model::PartitionKeyValue& key) {
        std::promise<bool> done;
        bench_.partition->submit(make_key_sweep_task(
            key.encode(), position_, [&](bool could) { done.set_value(could); }));
        EXPECT_TRUE(done.get_future().get());
        return bench_.partition->deletes() == nullptr;
    }
    void sweep_all(const model::PartitionKeyValue& key) {
        constexpr int kStepsMax = 10;
        int steps = 0;
        while (!sweep(key) && ++steps < kStepsMax) {
        }
        EXPECT_LT(steps, kStepsMax);
    }
    std::string feed(FeedScope scope = {}) {
        const FeedRequest request{.scope = std::move(scope),
                                  .resume = {},
                                  .items_max = 1000,
                                  .bytes_max = 1 << 20,
                                  .at_least_one = true,
                                  .default_ttl = std::nullopt};
        std::string ids;
        const FeedPage page = must(read_feed(*bench_.partition, request));
        const json::Value items = must(json::Value::parse("[" + page.items + "]"));
        for (const json::Value& one : items.array()) {
            ids += one.find("id")->string() + " ";
        }
        return ids;
    }
    std::string walk() {
        Snapshot snapshot = must(Snapshot::take(*bench_.partition, {}, std::nullopt));
        const auto items = snapshot.items(0);
        std::string ids;
        for (auto found = must(items->next()); found; found = must(items->next())) {
            if (found->item) ids += std::string(found->item->id) + " ";
        }
        return ids;
    }
    void create(int count, const std::string& key) {
        for (int i = 0; i < count; ++i) {
            ASSERT_TRUE(bench_.create(item(key + std::to_string(i), key, R"(,"u":)" + number(i))));
        }
    }
    static std::string number(int i) { return std::to_string(i); }

    PartitionBench bench_{R"({"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}})"};
    KeySweepPosition position_;
};

TEST_F(KeyDeletesTest, HidesAllItemsAtOnce) {
    create(3, "a");
    create(2, "b");
    ASSERT_TRUE(delete_key({"a"}));
    EXPECT_EQ(bench_.read({"a"}, "a0"), std::nullopt);
    EXPECT_NE(bench_.read({"b"}, "b0"), std::nullopt);
    EXPECT_EQ(feed(), "b0 b1 ");
    EXPECT_EQ(feed({.partition_key = bench_.container.ref({"a"}, ""), .epks = {}}), "");
    EXPECT_EQ(walk(), "b0 b1 ");
    // Meanwhile index entries must not be counted in place of items.
    EXPECT_FALSE(must(Snapshot::take(*bench_.partition, {}, std::nullopt)).is_whole());
    const ItemRef by_number{
        .epk = {}, .partition_key = {}, .id = {}, .docnum = Docnum{3} << 40 | 1};
    EXPECT_FALSE(must(bench_.partition->read(by_number, std::nullopt)));
    testing_support::expect_sound(bench_.store());
}

TEST_F(KeyDeletesTest, KeepsLaterWrites) {
    create(2, "a");
    ASSERT_TRUE(delete_key({"a"}));
    EXPECT_FALSE(bench_.remove({"a"}, "a0"));
    // The id and the unique value are free again.
    ASSERT_TRUE(bench_.create(item("a1", "a", R"(,"u":0,"new":true)")));
    EXPECT_EQ(feed(), "a1 ");
    sweep_all({"a"});
    EXPECT_EQ(feed(), "a1 ");
    EXPECT_EQ(bench_.partition->item_count(), 1U);
    testing_support::expect_sound(bench_.store());
}

TEST_F(KeyDeletesTest, SweepsInSteps) {
    create(250, "a");
    create(5, "b");
    ASSERT_TRUE(delete_key({"a"}));
    ASSERT_TRUE(bench_.upsert(item("a7", "a", R"(,"u":7)")));
    EXPECT_FALSE(sweep({"a"}));
    EXPECT_GT(bench_.partition->item_count(), 6U);
    EXPECT_EQ(feed(), "b0 b1 b2 b3 b4 a7 ");
    EXPECT_FALSE(sweep({"a"}));
    EXPECT_TRUE(sweep({"a"}));
    EXPECT_EQ(bench_.partition->item_count(), 6U);
    EXPECT_EQ(feed(), "b0 b1 b2 b3 b4 a7 ");
    EXPECT_TRUE(must(Snapshot::take(*bench_.partition, {}, std::nullopt)).is_whole());
    testing_support::expect_sound(bench_.store());
}

TEST_F(KeyDeletesTest, SurvivesARestart) {
    create(150, "a");
    ASSERT_TRUE(delete_key({"a"}));
    EXPECT_FALSE(sweep({"a"}));
    bench_.reopen();
    position_ = {};
    EXPECT_EQ(feed(), "");
    EXPECT_NE(bench_.partition->deletes(), nullptr);
    sweep_all({"a"});
    EXPECT_EQ(bench_.partition->item_count(), 0U);
    bench_.reopen();
    EXPECT_EQ(bench_.partition->deletes(), nullptr);
    testing_support::expect_sound(bench_.store());
}

TEST_F(KeyDeletesTest, CanBeRepeated) {
    create(150, "a");
    ASSERT_TRUE(delete_key({"a"}));
    EXPECT_FALSE(sweep({"a"}));
    ASSERT_TRUE(bench_.create(item("x", "a")));
    ASSERT_TRUE(delete_key({"a"}));
    EXPECT_EQ(feed(), "");
    sweep_all({"a"});
    EXPECT_EQ(bench_.partition->item_count(), 0U);
    testing_support::expect_sound(bench_.store());
}

// Everything in one commit: the sweep must not end the delete before items written ahead of it have
// reached the store.
TEST_F(KeyDeletesTest, AllInOneCommit) {
    create(1, "a");
    ASSERT_TRUE(delete_key({"a"}));
    ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        TRY(bench_.container.create(writer, item("x", "a")));
        TRY(delete_in(writer, {"a"}));
        EXPECT_FALSE(must(writer.read(bench_.container.ref({"a"}, "x"), {})));
        const model::PartitionKeyValue key{"a"};
        TRY(writer.sweep_key(key.encode(), 0, 100));
        TRY(bench_.container.create(writer, item("y", "a")));
        return {};
    }));
    EXPECT_EQ(feed(), "y ");
    sweep_all({"a"});
    EXPECT_EQ(feed(), "y ");
    EXPECT_EQ(bench_.partition->item_count(), 1U);
    testing_support::expect_sound(bench_.store());
}

// Otherwise a snapshot could show an item written after the delete together with those it deletes.
TEST_F(KeyDeletesTest, TakesEffectBeforeTheNextWrite) {
    create(1, "a");
    std::promise<void> go;
    const auto submit = [&](std::function<Status(ItemWriter&)> apply) {
        auto outcome = std::make_shared<std::promise<Status>>();
        bench_.partition->submit(std::make_unique<testing_support::FunctionTask>(
            std::move(apply), [outcome](Status status) { outcome->set_value(std::move(status)); }));
        return outcome->get_future();
    };
    // All three wait for the first, so that they would share a commit.
    auto first = submit([&](ItemWriter&) -> Status {
        go.get_future().wait();
        return {};
    });
    auto second = submit([&](ItemWriter& writer) { return delete_in(writer, {"a"}); });
    bool is_in_force = false;
    auto third = submit([&](ItemWriter& writer) -> Status {
        is_in_force = bench_.partition->deletes() != nullptr;
        TRY(bench_.container.create(writer, item("x", "a")));
        return {};
    });
    go.set_value();
    EXPECT_TRUE(first.get());
    EXPECT_TRUE(second.get());
    EXPECT_TRUE(third.get());
    EXPECT_TRUE(is_in_force);
    EXPECT_EQ(feed(), "x ");
}

TEST_F(KeyDeletesTest, RefusedWriteRollsBackItsDelete) {
    create(1, "a");
    EXPECT_FALSE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        TRY(delete_in(writer, {"a"}));
        return Error(ErrorCode::kBadRequest, "no");
    }));
    EXPECT_EQ(feed(), "a0 ");
    EXPECT_EQ(bench_.partition->deletes(), nullptr);
}

TEST_F(KeyDeletesTest, TooManyAtOnce) {
    const Status refused = run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        for (std::size_t i = 0; i < model::limits::kKeyDeletesMax; ++i) {
            const model::PartitionKeyValue key{static_cast<double>(i)};
            EXPECT_TRUE(delete_in(writer, key));
        }
        EXPECT_TRUE(delete_in(writer, {0.0}));
        return delete_in(writer, {"a"});
    });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().sub_status(), 1032U);
}

TEST(KeyDelete, OnDisk) {
    const KeyDelete written{.lsn = 5, .until = 7, .epk = "ab"};
    EXPECT_EQ(written.encode(), std::string("\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\7ab", 18));
    EXPECT_EQ(must(KeyDelete::decode(written.encode())).epk, "ab");
    EXPECT_FALSE(KeyDelete::decode("short"));
    EXPECT_FALSE(KeyDelete::decode(std::string(16, '\xff')));
}

}  // namespace key_deletes_test
}  // namespace orrery::partition
