#include "service/item_feed.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/stopwatch.h"
#include "service/test_support.h"
#include "throughput/charges.h"

namespace orrery::service {
namespace item_feed_test {

using testing::IsEmpty;
using testing::UnorderedElementsAreArray;
using testing_support::Asked;
using testing_support::code_of;
using testing_support::ids_of;
using testing_support::item;
using testing_support::must;
using testing_support::ServiceTest;

// The answers must not depend on the number of partitions.
class ItemFeedTest : public ServiceTest, public testing::WithParamInterface<std::uint32_t> {
protected:
    void SetUp() override {
        for (int i = 0; i < 60; ++i) {
            const std::string id = std::to_string(i);
            const std::string key = "key " + std::to_string(i % 12);
            ASSERT_TRUE(services_.create(container_, item(id, key)).answer);
            all_.push_back(id);
            if (i % 12 == 3) of_key_3_.push_back(id);
        }
    }
    Result<Page> read(const Request& request) const {
        return services_.feed->read(Asked(request), *container_);
    }
    // Reads all pages of that size; all but the last must be full.
    std::vector<std::string> walk(Request request, const std::string& size) const {
        std::vector<std::string> ids;
        std::string token;
        for (;;) {
            request.max_item_count = size;
            const Page page = must(read(request));
            const auto more = ids_of(page);
            ids.insert(ids.end(), more.begin(), more.end());
            if (!page.continuation) return ids;
            EXPECT_EQ(page.count, std::stoul(size));
            EXPECT_LE(page.continuation->size(), 1024U);
            token = *page.continuation;
            request.continuation = token;
        }
    }

    catalog::ContainerPtr container_ = services_.container("{}", GetParam());
    std::vector<std::string> all_;
    std::vector<std::string> of_key_3_;
};

INSTANTIATE_TEST_SUITE_P(Partitions, ItemFeedTest, testing::Values(1, 7));

TEST_P(ItemFeedTest, ReturnsEveryItemOnce) {
    Asked asked;
    const Page page = must(services_.feed->read(asked, *container_));
    EXPECT_THAT(ids_of(page), UnorderedElementsAreArray(all_));
    EXPECT_FALSE(page.continuation);
    EXPECT_EQ(asked.context.receipt.position->range_id, GetParam() - 1);
    EXPECT_GE(asked.context.receipt.charge, static_cast<double>(all_.size())) << "all are small";
    EXPECT_LE(asked.context.receipt.charge, static_cast<double>(all_.size() + GetParam()))
        << "a range without items costs as much as a read";
}

TEST_P(ItemFeedTest, StopsBeforeARangeInDebt) {
    constexpr double kMuch = 1e6;
    const auto last = must(services_.partitions->open(*container_, GetParam() - 1));
    last->ledger().spend({}, kMuch, {}, monotonic_now());
    Asked asked;
    asked.context.allowance.claim.emplace();
    const Result<Page> page = services_.feed->read(asked, *container_);
    if (GetParam() == 1) {
        EXPECT_EQ(code_of(page), "429/3200");
        return;
    }
    ASSERT_TRUE(page);
    ASSERT_TRUE(page->continuation);
    Request request;
    request.continuation = *page->continuation;
    Asked again(request);
    again.context.allowance.claim.emplace();
    EXPECT_EQ(code_of(services_.feed->read(again, *container_)), "429/3200");
    // Without a claim nothing is refused.
    std::vector<std::string> ids = ids_of(*page);
    const std::vector<std::string> rest = ids_of(must(read(request)));
    ids.insert(ids.end(), rest.begin(), rest.end());
    EXPECT_THAT(ids, UnorderedElementsAreArray(all_));
}

TEST_P(ItemFeedTest, PagesOfAnySizeCoverAllItems) {
    const std::vector<std::string> whole = ids_of(must(read({})));
    for (int size = 1; size <= 61; ++size) {
        EXPECT_EQ(walk({}, std::to_string(size)), whole) << size;
    }
}

TEST_P(ItemFeedTest, ReadsOnePartitionKeyInInsertionOrder) {
    Request request;
    request.partition_key = R"(["key 3"])";
    for (const char* size : {"1", "2", "5", "100"}) {
        EXPECT_EQ(walk(request, size), of_key_3_) << size;
    }
    request.partition_key = R"(["nobody"])";
    EXPECT_THAT(walk(request, "10"), IsEmpty());
}

TEST_P(ItemFeedTest, ReadsEachRange) {
    std::vector<std::string> together;
    for (const auto& range : container_->ranges) {
        const std::string plain = std::to_string(range.id);
        const std::string with_rid = container_->rid.text() + "," + plain;
        Request request;
        request.range_id = plain;
        const auto ids = walk(request, "7");
        request.range_id = with_rid;
        EXPECT_EQ(walk(request, "3"), ids);
        together.insert(together.end(), ids.begin(), ids.end());
    }
    EXPECT_EQ(together, ids_of(must(read({}))));
}

TEST_P(ItemFeedTest, UnknownRanges) {
    Request request;
    for (const char* id : {"99", "7,99"}) {
        request.range_id = id;
        EXPECT_EQ(code_of(read(request)), "410/1002") << id;
    }
    for (const char* id : {"", "x", "-1", "0x", "0,", "99999999999"}) {
        request.range_id = id;
        EXPECT_EQ(code_of(read(request)), "400") << id;
    }
}

TEST_P(ItemFeedTest, ReadsPartsOfTheHashSpace) {
    // Split at the hashes of these keys, which lie anywhere in the ranges.
    std::vector<std::string> cuts = {"", "FF"};
    for (const char* key : {"key 1", "key 2", "key 3"}) {
        cuts.push_back(to_hex_upper(
            model::effective_partition_key({key}, container_->definition.partition_key.kind)));
    }
    std::sort(cuts.begin(), cuts.end());
    std::vector<std::string> together;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        Request request;
        request.start_epk = cuts[i];
        request.end_epk = cuts[i + 1];
        const auto ids = walk(request, "4");
        EXPECT_EQ(walk(request, "100"), ids);
        together.insert(together.end(), ids.begin(), ids.end());
    }
    EXPECT_THAT(together, UnorderedElementsAreArray(all_));
}

TEST_P(ItemFeedTest, ReadsPartOfOneRange) {
    Request request;
    request.range_id = "0";
    const auto of_range = walk(request, "100");
    request.start_epk = "";
    request.end_epk = "FF";
    EXPECT_THAT(walk(request, "100"), UnorderedElementsAreArray(of_range));
    // The first range has nothing at the end of the space, and no other range may answer for it.
    request.start_epk = "3FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF";
    request.end_epk = "FF";
    EXPECT_THAT(walk(request, "100"), IsEmpty());
    request.range_id.reset();
    request.start_epk = "";
    request.end_epk = "";
    EXPECT_THAT(walk(request, "100"), IsEmpty());
    const std::string last = std::to_string(GetParam() - 1);
    request.range_id = last;
    request.end_epk = "00";
    EXPECT_THAT(walk(request, "100"), IsEmpty());
}

TEST_P(ItemFeedTest, RefusesBadEpkRanges) {
    Request request;
    request.start_epk = "xyz";
    EXPECT_EQ(code_of(read(request)), "400");
    request.start_epk = "20";
    request.end_epk = "10";
    EXPECT_EQ(code_of(read(request)), "400");
    request.start_epk = "1";
    EXPECT_EQ(code_of(read(request)), "400");
}

TEST_P(ItemFeedTest, RefusesBadRequests) {
    Request request;
    request.max_item_count = "many";
    EXPECT_EQ(code_of(read(request)), "400");
    request = {};
    request.partition_key = "nonsense";
    EXPECT_EQ(code_of(read(request)), "400");
    request = {};
    request.continuation = "nonsense";
    EXPECT_EQ(code_of(read(request)), "400");
    request = {};
    request.consistency_level = "Strong";
    EXPECT_EQ(code_of(read(request)), "400");
    request = {};
    request.intended_container_rid = "AQAAAIAAAAk=";
    EXPECT_EQ(code_of(read(request)), "400/1024");
}

TEST_P(ItemFeedTest, ContinuationIsValidOnlyForItsContainer) {
    Request request;
    request.max_item_count = "1";
    const std::string token = *must(read(request)).continuation;
    request.continuation = token;
    EXPECT_EQ(code_of(read(request)), "ok");
    const auto other = services_.container(R"({"id":"other"})", GetParam());
    EXPECT_EQ(code_of(services_.feed->read(Asked(request), *other)), "400");
}

// A client that began with the whole container may go on with parts of it, but not the other way
// round: the token of a part says nothing about the rest.
TEST_P(ItemFeedTest, ContinuationIsValidForPartsOfItsFeed) {
    Request request;
    request.max_item_count = "1";
    const Page first = must(read(request));
    request.continuation = *first.continuation;
    request.max_item_count = "100";
    request.partition_key = R"(["key 3"])";
    std::vector<std::string> ids = ids_of(must(read(request)));
    if (ids_of(first).front() == of_key_3_.front()) ids.push_back(of_key_3_.front());
    EXPECT_THAT(ids, UnorderedElementsAreArray(of_key_3_));

    request.continuation.reset();
    request.max_item_count = "1";
    const std::string token = *must(read(request)).continuation;
    request.continuation = token;
    EXPECT_EQ(code_of(read(request)), "ok");
    request.partition_key.reset();
    EXPECT_EQ(code_of(read(request)), "400");
    request.partition_key = R"(["key 4"])";
    EXPECT_EQ(code_of(read(request)), "400");
}

TEST_P(ItemFeedTest, ContinuationsSurviveARestart) {
    Request request;
    request.max_item_count = "25";
    const Page first = must(read(request));
    testing_support::Services restarted(engine_, clock_);
    ASSERT_TRUE(restarted.start());
    request.max_item_count = "100";
    request.continuation = *first.continuation;
    const auto container = restarted.catalog->find_container(container_->rid);
    std::vector<std::string> ids = ids_of(first);
    for (const std::string& id : ids_of(must(restarted.feed->read(Asked(request), *container)))) {
        ids.push_back(id);
    }
    EXPECT_THAT(ids, UnorderedElementsAreArray(all_));
}

// The same over a container with a two-level key: /a is 0…3, /b is 0…7.
class HierarchicalFeedTest : public ItemFeedTest {
protected:
    void SetUp() override {
        container_ = services_.container(
            R"({"id":"levels",
                "partitionKey":{"paths":["/a","/b"],"kind":"MultiHash","version":2}})",
            GetParam());
        for (int i = 0; i < 40; ++i) {
            const std::string body = R"({"id":")" + std::to_string(i) + R"(","a":)" +
                                     std::to_string(i % 4) + R"(,"b":)" + std::to_string(i % 8) +
                                     "}";
            ASSERT_TRUE(services_.create(container_, body).answer);
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Partitions, HierarchicalFeedTest, testing::Values(1, 7));

TEST_P(HierarchicalFeedTest, ReadsAKeyPrefix) {
    Request request;
    request.partition_key = "[2]";
    EXPECT_THAT(
        walk(request, "3"),
        UnorderedElementsAreArray({"2", "6", "10", "14", "18", "22", "26", "30", "34", "38"}));
    request.partition_key = "[2,6]";
    EXPECT_EQ(walk(request, "3"), (std::vector<std::string>{"6", "14", "22", "30", "38"}));
}

// A request with both a key and a part of the hash space selects their intersection.
TEST_P(HierarchicalFeedTest, ReadsPartOfAKeyPrefix) {
    const model::HashKind kind = container_->definition.partition_key.kind;
    const std::string cut = std::max(model::effective_partition_key({2.0, 2.0}, kind),
                                     model::effective_partition_key({2.0, 6.0}, kind));
    const bool six_is_above = cut == model::effective_partition_key({2.0, 6.0}, kind);
    std::vector<std::string> below = {"2", "10", "18", "26", "34"};
    std::vector<std::string> above = {"6", "14", "22", "30", "38"};
    if (!six_is_above) std::swap(below, above);

    const std::string text = to_hex_upper(cut);
    for (const char* key : {"[2]", six_is_above ? "[2,6]" : "[2,2]"}) {
        Request request;
        request.partition_key = key;
        request.start_epk = text;
        EXPECT_EQ(walk(request, "3"), above) << key;
        request.start_epk.reset();
        request.end_epk = text;
        EXPECT_EQ(walk(request, "3"), key[2] == ']' ? below : std::vector<std::string>()) << key;
        request.start_epk = "40";  // above all hashes
        request.end_epk = "FF";
        EXPECT_THAT(walk(request, "3"), IsEmpty()) << key;
    }
}

// Likewise for a key and a range: a range that does not hold the key returns nothing.
TEST_P(HierarchicalFeedTest, ReadsAKeyPrefixInOneRange) {
    for (const char* key : {"[2]", "[2,6]"}) {
        Request request;
        request.partition_key = key;
        const auto whole = walk(request, "100");
        std::vector<std::string> together;
        for (const auto& range : container_->ranges) {
            const std::string id = std::to_string(range.id);
            request.range_id = id;
            const auto ids = walk(request, "3");
            together.insert(together.end(), ids.begin(), ids.end());
        }
        EXPECT_EQ(together, whole) << key;
    }
}

// No page exceeds the size limit, and none ends while the next item would still fit.
TEST_P(ItemFeedTest, PagesFillTheSizeLimit) {
    constexpr std::size_t kLimit = 4U << 20;
    container_ = services_.container(R"({"id":"large"})", GetParam());
    std::size_t largest = 0;
    for (int i = 0; i < 40; ++i) {
        const std::size_t size = i % 5 == 0 ? 1'900'000 : 200'000;
        const std::string body = R"({"id":"1","pk":")" + std::to_string(i) + R"(","x":")" +
                                 std::string(size, 'x') + "\"}";
        ASSERT_TRUE(services_.create(container_, body).answer);
        largest = std::max(largest, size + 500);
    }
    Request request;
    request.max_item_count = "-1";
    std::size_t count = 0;
    std::string token;
    for (;;) {
        const Page page = must(read(request));
        EXPECT_LE(page.elements.size(), kLimit);
        count += page.count;
        if (!page.continuation) break;
        EXPECT_GT(page.elements.size() + largest, kLimit);
        token = *page.continuation;
        request.continuation = token;
    }
    EXPECT_EQ(count, 40U);
}

}  // namespace item_feed_test
}  // namespace orrery::service
