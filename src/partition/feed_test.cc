#include "partition/feed.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "partition/test_support.h"

namespace orrery::partition {
namespace feed_test {

using testing_support::item;
using testing_support::must;
using testing_support::PartitionBench;

constexpr std::size_t kMuch = 1'000'000;

std::vector<std::string> ids_of(const FeedPage& page) {
    std::vector<std::string> ids;
    const json::Value all = model::testing_support::parsed("[" + page.items + "]");
    for (const json::Value& one : all.array()) {
        ids.push_back(one.find("id")->string());
    }
    EXPECT_EQ(ids.size(), page.count);
    return ids;
}

class Feed : public testing::Test {
protected:
    FeedRequest request(FeedScope scope = {}) const {
        return {.scope = std::move(scope),
                .resume = {},
                .items_max = kMuch,
                .bytes_max = kMuch,
                .at_least_one = true,
                .default_ttl = bench_.container.definition.default_ttl};
    }
    FeedScope key_scope(const model::PartitionKeyValue& key) const {
        return {.partition_key = bench_.container.ref(key, ""), .epks = std::nullopt};
    }
    FeedPage page(const FeedRequest& wanted) const {
        return must(read_feed(*bench_.partition, wanted));
    }
    // Reads all pages in sequence.
    std::vector<std::string> walk(FeedRequest wanted) const {
        std::vector<std::string> ids;
        for (;;) {
            const FeedPage read = page(wanted);
            EXPECT_LE(read.count, wanted.items_max);
            const auto more = ids_of(read);
            ids.insert(ids.end(), more.begin(), more.end());
            if (!read.resume) return ids;
            wanted.resume = *read.resume;
        }
    }
    // Ids 0..count-1 over three partition keys: a b c a b c ...
    void fill(int count) {
        for (int i = 0; i < count; ++i) {
            const std::string key(1, static_cast<char>('a' + i % 3));
            ASSERT_TRUE(bench_.create(item(std::to_string(i), key)));
        }
    }

    PartitionBench bench_{R"({"defaultTtl":1000})"};
};

TEST_F(Feed, EmptyPartitionIsOneEmptyPage) {
    const FeedPage empty = page(request());
    EXPECT_EQ(empty.count, 0U);
    EXPECT_EQ(empty.items, "");
    EXPECT_FALSE(empty.resume);
    EXPECT_EQ(empty.lsn, 0);
}

TEST_F(Feed, IsInInsertionOrder) {
    fill(7);
    ASSERT_TRUE(bench_.upsert(item("2", "c", R"(,"n":1)")));
    const FeedPage all = page(request());
    EXPECT_EQ(ids_of(all), (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6"}));
    EXPECT_EQ(all.lsn, 8);
    EXPECT_EQ(walk(request(key_scope({"a"}))), (std::vector<std::string>{"0", "3", "6"}));
    EXPECT_EQ(walk(request(key_scope({"z"}))), std::vector<std::string>());
}

TEST_F(Feed, PagesOfAnySizeCoverAllItems) {
    fill(10);
    const model::EpkRange everything{.min_inclusive = "",
                                     .max_exclusive = std::string(model::kEpkEnd)};
    for (const FeedScope& scope :
         {FeedScope{}, key_scope({"b"}), FeedScope{.partition_key = {}, .epks = everything}}) {
        FeedRequest wanted = request(scope);
        const std::vector<std::string> whole = walk(wanted);
        EXPECT_GE(whole.size(), 3U);
        for (std::size_t size = 1; size <= 11; ++size) {
            wanted.items_max = size;
            EXPECT_EQ(walk(wanted), whole) << size;
        }
    }
}

TEST_F(Feed, FullLastPageHasNoResume) {
    fill(6);
    FeedRequest wanted = request();
    wanted.items_max = 6;
    EXPECT_FALSE(page(wanted).resume);
    wanted.items_max = 5;
    EXPECT_TRUE(page(wanted).resume);
}

TEST_F(Feed, PagesRespectTheSizeLimit) {
    fill(5);
    const std::size_t size = page(request()).items.size() / 5;
    FeedRequest wanted = request();
    wanted.bytes_max = 2 * size + 10;
    const FeedPage two = page(wanted);
    EXPECT_EQ(two.count, 2U);
    EXPECT_LE(two.items.size(), wanted.bytes_max);
    EXPECT_EQ(walk(wanted).size(), 5U);
    wanted.bytes_max = 1;
    EXPECT_EQ(page(wanted).count, 1U);
    EXPECT_EQ(walk(wanted).size(), 5U);
    wanted.at_least_one = false;
    const FeedPage none = page(wanted);
    EXPECT_EQ(none.count, 0U);
    EXPECT_TRUE(none.resume);
}

TEST_F(Feed, ReadsPartOfTheHashSpace) {
    fill(9);
    const std::string b = bench_.container.epk({"b"});
    std::vector<std::string> before;
    std::vector<std::string> from;
    for (const char* key : {"a", "b", "c"}) {
        auto& side = bench_.container.epk({key}) < b ? before : from;
        for (const std::string& id : walk(request(key_scope({key})))) {
            side.push_back(id);
        }
    }
    const auto in_range = [&](const std::string& min, const std::string& max) {
        std::vector<std::string> ids =
            walk(request({.partition_key = {}, .epks = model::EpkRange{min, max}}));
        std::sort(ids.begin(), ids.end());
        return ids;
    };
    std::sort(before.begin(), before.end());
    std::sort(from.begin(), from.end());
    EXPECT_EQ(in_range("", b), before);
    EXPECT_EQ(in_range(b, std::string(model::kEpkEnd)), from);
    EXPECT_EQ(in_range(b, b), std::vector<std::string>());
    EXPECT_EQ(before.size() + from.size(), 9U);
}

TEST_F(Feed, HidesExpiredItems) {
    ASSERT_TRUE(bench_.create(item("short", "a", R"(,"ttl":10)")));
    ASSERT_TRUE(bench_.create(item("default", "a")));
    ASSERT_TRUE(bench_.create(item("forever", "a", R"(,"ttl":-1)")));
    bench_.clock.advance(std::chrono::seconds(10));
    EXPECT_EQ(walk(request()), (std::vector<std::string>{"default", "forever"}));
    EXPECT_EQ(walk(request(key_scope({"a"}))), (std::vector<std::string>{"default", "forever"}));
    bench_.clock.advance(std::chrono::seconds(990));
    EXPECT_EQ(walk(request()), (std::vector<std::string>{"forever"}));
    FeedRequest without_expiry = request();
    without_expiry.default_ttl.reset();
    EXPECT_EQ(walk(without_expiry).size(), 3U);
}

TEST_F(Feed, ResumesAfterRemovals) {
    fill(10);
    FeedRequest wanted = request();
    wanted.items_max = 3;
    const FeedPage first = page(wanted);
    EXPECT_EQ(ids_of(first), (std::vector<std::string>{"0", "1", "2"}));
    // An item already read, the item the next page would start with, and a later one.
    ASSERT_TRUE(bench_.remove({"b"}, "1"));
    ASSERT_TRUE(bench_.remove({"a"}, "3"));
    ASSERT_TRUE(bench_.remove({"c"}, "5"));
    ASSERT_TRUE(bench_.create(item("new", "a")));
    wanted.resume = *first.resume;
    EXPECT_EQ(walk(wanted), (std::vector<std::string>{"4", "6", "7", "8", "9", "new"}));
}

TEST_F(Feed, ResumeAtTheEndIsEmpty) {
    fill(4);
    FeedRequest wanted = request();
    wanted.items_max = 3;
    wanted.resume = *page(wanted).resume;
    ASSERT_TRUE(bench_.remove({"a"}, "3"));
    EXPECT_EQ(walk(wanted), std::vector<std::string>());
}

TEST_F(Feed, DistinguishesKeysWithEqualHashes) {
    const auto write = [&](const char* json) {
        return testing_support::run(*bench_.partition, [&](ItemWriter& writer) -> Status {
            TRY(writer.create(bench_.container.body(json), "same", {}));
            return {};
        });
    };
    ASSERT_TRUE(write(R"({"id":"1","pk":"a"})"));
    ASSERT_TRUE(write(R"({"id":"2","pk":"b"})"));
    FeedScope scope = key_scope({"b"});
    scope.partition_key->epk = "same";
    EXPECT_EQ(walk(request(scope)), std::vector<std::string>{"2"});
}

TEST_F(Feed, PageVisitsALimitedNumberOfItems) {
    constexpr int kHidden = 20'050;
    ASSERT_TRUE(testing_support::run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        for (int i = 0; i < kHidden; ++i) {
            TRY(bench_.container.create(writer, item(std::to_string(i), "a", R"(,"ttl":1)")));
        }
        TRY(bench_.container.create(writer, item("alive", "a")));
        return {};
    }));
    bench_.clock.advance(std::chrono::seconds(1));
    const FeedPage first = page(request());
    EXPECT_EQ(first.count, 0U);
    EXPECT_TRUE(first.resume);
    EXPECT_EQ(walk(request()), std::vector<std::string>{"alive"});
    EXPECT_EQ(walk(request(key_scope({"a"}))), std::vector<std::string>{"alive"});
}

TEST_F(Feed, ReportsDamage) {
    fill(3);
    storage::WriteBatch batch;
    batch.put(member_key(bench_.container.epk({"a"}), 99), "");
    ASSERT_TRUE(bench_.store().commit(batch));
    const auto members = read_feed(*bench_.partition, request(key_scope({"a"})));
    ASSERT_FALSE(members);
    EXPECT_EQ(members.error().code(), ErrorCode::kCorrupted);
    batch.clear();
    batch.put(item_key(99), "nonsense");
    ASSERT_TRUE(bench_.store().commit(batch));
    const auto all = read_feed(*bench_.partition, request());
    ASSERT_FALSE(all);
    EXPECT_EQ(all.error().code(), ErrorCode::kCorrupted);
    batch.clear();
    batch.put("D", "an item without a number");
    ASSERT_TRUE(bench_.store().commit(batch));
    const auto first = read_feed(*bench_.partition, request());
    ASSERT_FALSE(first);
    EXPECT_EQ(first.error().code(), ErrorCode::kCorrupted);
}

}  // namespace feed_test
}  // namespace orrery::partition
