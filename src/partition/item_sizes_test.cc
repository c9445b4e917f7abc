// The limit on the items of one partition key.

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "partition/test_support.h"

namespace orrery::partition {
namespace item_sizes_test {

using testing_support::expect_sound;
using testing_support::item;
using testing_support::must;
using testing_support::PartitionBench;
using testing_support::run;

constexpr std::size_t kLimit = 1 << 20;
constexpr std::size_t kItem = 20'000;  // a commit counts a few of this size

std::string padded(const std::string& id, const std::string& key, std::size_t bytes = kItem) {
    return item(id, key, R"(,"text":")" + std::string(bytes, 'x') + '"');
}

bool is_full(const Status& outcome) {
    if (outcome) return false;
    EXPECT_EQ(outcome.error().code(), ErrorCode::kForbidden) << outcome.error().message();
    EXPECT_EQ(outcome.error().sub_status(), 1014U);
    EXPECT_EQ(outcome.error().message(),
              "Partition key reached maximum size of 1 MB. Learn more: "
              "https://aka.ms/CosmosDB/sql/errors/full-pk");
    return true;
}

class ItemSizesTest : public testing::Test {
protected:
    ItemSizesTest() { limit(kLimit); }

    void limit(std::uint64_t bytes) {
        bench_.key_bytes_max = bytes;
        bench_.reopen();
    }

    // Creates items until one is refused; returns the bytes of the partition then.
    std::uint64_t fill(const std::string& key) {
        for (int i = 0; i < 1000; ++i) {
            if (is_full(bench_.create(padded(std::to_string(i), key)))) break;
        }
        return bench_.partition->item_bytes();
    }

    PartitionBench bench_;
};

TEST_F(ItemSizesTest, RefusesAKeyThatIsFullButNoOthers) {
    const std::uint64_t bytes = fill("a");
    EXPECT_LE(bytes, kLimit);
    EXPECT_GT(bytes, kLimit - 2 * kItem);
    ASSERT_TRUE(bench_.create(padded("0", "b")));
    EXPECT_TRUE(is_full(bench_.upsert(padded("new", "a"))));
    expect_sound(bench_.store());
}

TEST_F(ItemSizesTest, TakesWhatMakesTheKeySmaller) {
    fill("a");
    EXPECT_TRUE(is_full(bench_.upsert(padded("0", "a", kItem + kItem))));
    EXPECT_TRUE(bench_.upsert(padded("0", "a", kItem - 1)));
    EXPECT_TRUE(bench_.remove({"a"}, "1"));
    EXPECT_TRUE(bench_.create(padded("new", "a")));
    expect_sound(bench_.store());
}

TEST_F(ItemSizesTest, CountsItemsThatWereThereBeforeTheLimit) {
    limit(kNoKeyLimit);
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE(bench_.create(padded(std::to_string(i), "a")));
    limit(kLimit);
    int taken = 0;
    while (!is_full(bench_.create(padded("late " + std::to_string(taken), "a")))) {
        ASSERT_LT(++taken, 30);  // each commit counts several
        expect_sound(bench_.store());
    }
    ASSERT_TRUE(bench_.create(padded("0", "b")));
    expect_sound(bench_.store());
}

TEST_F(ItemSizesTest, GoesOnAfterARestart) {
    limit(kNoKeyLimit);
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE(bench_.create(padded(std::to_string(i), i % 2 == 0 ? "a" : "b")));
    limit(kLimit);
    for (int i = 0; i < 40; ++i) {
        ASSERT_TRUE(bench_.upsert(padded("one", "c")));
        bench_.reopen();
        expect_sound(bench_.store());
    }
    EXPECT_FALSE(is_full(bench_.create(padded("late", "a"))));
    EXPECT_TRUE(is_full(bench_.create(padded("later", "a", kItem * 2))));
}

TEST_F(ItemSizesTest, FreesTheSpaceOfADeletedKey) {
    fill("a");
    const std::string key = model::PartitionKeyValue{"a"}.encode();
    ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        TRY(writer.delete_key(key, bench_.container.epk({"a"})));
        return {};
    }));
    ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        TRY(writer.sweep_key(key, 0, 1000));
        return {};
    }));
    EXPECT_EQ(bench_.partition->item_bytes(), 0U);
    EXPECT_TRUE(bench_.create(padded("new", "a")));
    expect_sound(bench_.store());
}

TEST_F(ItemSizesTest, StaysRightOverRandomWrites) {
    std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): reproducible
    for (int i = 0; i < 600; ++i) {
        const std::string id = std::to_string(random() % 60);
        const std::string key = std::to_string(random() % 3);
        if (random() % 4 == 0) {
            static_cast<void>(bench_.remove({key}, id));
        } else {
            static_cast<void>(is_full(bench_.upsert(padded(id, key, random() % (4 * kItem)))));
        }
        if (i % 50 == 0) expect_sound(bench_.store());
        if (i % 97 == 0) bench_.reopen();
    }
    expect_sound(bench_.store());
}

}  // namespace item_sizes_test
}  // namespace orrery::partition
