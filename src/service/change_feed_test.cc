#include "service/change_feed.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/stopwatch.h"
#include "service/test_support.h"

namespace orrery::service {
namespace change_feed_test {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;
using testing_support::Asked;
using testing_support::code_of;
using testing_support::ids_of;
using testing_support::item;
using testing_support::must;
using testing_support::parsed;
using testing_support::ServiceTest;

using Ids = std::vector<std::string>;

// What a reader asks for besides its etag.
struct Wanted {
    std::string key = {};
    std::string range_id = {};
    std::string start_epk = {};
    std::string end_epk = {};
    std::string size = "7";
    ChangeFeedOptions options = {};

    Request request() const {
        Request out;
        out.max_item_count = size;
        if (!key.empty()) out.partition_key = key;
        if (!range_id.empty()) out.range_id = range_id;
        if (!end_epk.empty()) {
            out.start_epk = start_epk;
            out.end_epk = end_epk;
        }
        return out;
    }
};

class ChangeFeedTest : public ServiceTest {
protected:
    void use(const catalog::ContainerPtr& container) { rid_ = container->rid; }
    catalog::ContainerPtr newest() const { return services_.catalog->find_container(rid_); }

    Result<ChangesAnswer> page(const Wanted& wanted, const std::string& etag) {
        Request request = wanted.request();
        if (!etag.empty()) request.if_none_match = etag;
        return services_.changes->read(Asked(request), *newest(), wanted.options);
    }
    // Reads until there is nothing new. Moves the etag.
    Ids follow(const Wanted& wanted, std::string& etag) {
        Ids ids;
        for (;;) {
            const ChangesAnswer answer = must(page(wanted, etag));
            etag = answer.etag;
            const Ids more = ids_of(answer.page);
            ids.insert(ids.end(), more.begin(), more.end());
            if (!answer.modified) return ids;
        }
    }
    Ids follow(const Wanted& wanted) {
        std::string etag;
        return follow(wanted, etag);
    }

    Ids add(int count) {
        Ids ids;
        for (int i = 0; i < count; ++i, ++made_) {
            ids.push_back("item " + std::to_string(made_));
            const std::string key = "key " + std::to_string(made_ % 12);
            for (;;) {  // as the gateway does it
                const auto outcome = services_.create(newest(), item(ids.back(), key));
                if (outcome.answer) break;
                EXPECT_EQ(outcome.answer.error().code(), ErrorCode::kGone);
            }
        }
        return ids;
    }
    void wait_for_ranges(std::size_t count) const {
        for (int i = 0; i < 2000 && newest()->ranges.size() != count; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ASSERT_EQ(newest()->ranges.size(), count);
    }
    void split(std::uint32_t id) {
        const std::size_t before = newest()->ranges.size();
        ASSERT_TRUE(services_.repartitioning->split(*newest(), id, std::nullopt));
        wait_for_ranges(before + 1);
    }
    void merge(std::uint32_t id) {
        const std::size_t before = newest()->ranges.size();
        ASSERT_TRUE(services_.repartitioning->merge(*newest(), id));
        wait_for_ranges(before - 1);
    }

    model::ContainerRid rid_ = services_.container()->rid;
    int made_ = 0;
};

TEST_F(ChangeFeedTest, StartsAtTheBeginningAndEndsWith304) {
    ChangesAnswer answer = must(page({}, ""));
    EXPECT_FALSE(answer.modified);
    EXPECT_EQ(answer.etag, "\"0\"");
    const Ids ids = add(10);
    answer = must(page({}, answer.etag));
    EXPECT_TRUE(answer.modified);
    EXPECT_EQ(answer.etag, "\"7\"");
    EXPECT_EQ(ids_of(answer.page), Ids(ids.begin(), ids.begin() + 7));
    EXPECT_NE(answer.page.elements.find(R"(,"_lsn":7})"), std::string::npos);
    answer = must(page({}, answer.etag));
    EXPECT_EQ(answer.page.count, 3U);
    EXPECT_EQ(answer.etag, "\"10\"");
    EXPECT_FALSE(must(page({}, answer.etag)).modified);
}

TEST_F(ChangeFeedTest, StartsNow) {
    add(3);
    ChangesAnswer answer = must(page({}, "*"));
    EXPECT_FALSE(answer.modified);
    EXPECT_EQ(answer.etag, "\"3\"");
    const Ids ids = add(2);
    std::string etag = answer.etag;
    EXPECT_EQ(follow({}, etag), ids);
}

TEST_F(ChangeFeedTest, KnowsWhetherPartitionsAreStillQuiet) {
    use(services_.container(R"({"id":"c2"})", 2));
    add(5);
    std::string etag;
    follow({}, etag);
    ChangesAnswer idle = must(page({}, etag));
    EXPECT_TRUE(idle.quiet.are_quiet());
    EXPECT_FALSE(must(page({}, "")).quiet.are_quiet());
    EXPECT_FALSE(must(page({}, "*")).quiet.are_quiet());  // not looked at

    add(1);
    EXPECT_FALSE(idle.quiet.are_quiet());
    // The change is in one of the partitions, and a reader of the other one's items polls it.
    for (const std::string id : {"0", "1"}) {
        const Wanted wanted{.range_id = id};
        etag.clear();
        follow(wanted, etag);
        EXPECT_TRUE(must(page(wanted, etag)).quiet.are_quiet());
    }
    etag.clear();
    follow({}, etag);
    idle = must(page({}, etag));
    ASSERT_TRUE(idle.quiet.are_quiet());
    split(1);
    EXPECT_FALSE(idle.quiet.are_quiet());
}

TEST_F(ChangeFeedTest, QuietUntilATimeIsForThePollToFindOut) {
    const Wanted later{.options = {.since = clock_.now_seconds() + 10}};
    const ChangesAnswer idle = must(page(later, ""));
    EXPECT_FALSE(idle.modified);
    EXPECT_FALSE(idle.quiet.are_quiet());
}

TEST_F(ChangeFeedTest, ReadersOfAKeyWatchThePartition) {
    add(5);
    const Wanted none{.key = R"(["no such key"])"};
    std::string etag;
    EXPECT_THAT(follow(none, etag), IsEmpty());
    const ChangesAnswer idle = must(page(none, etag));
    EXPECT_TRUE(idle.quiet.are_quiet());
    add(1);
    EXPECT_FALSE(idle.quiet.are_quiet());
}

TEST_F(ChangeFeedTest, StartsAtATime) {
    use(services_.container(R"({"id":"c2"})", 3));
    add(20);
    clock_.advance(std::chrono::seconds(30));
    const Wanted wanted{.size = "3", .options = {.since = clock_.now_seconds()}};
    const Ids ids = add(20);
    std::string etag;
    EXPECT_THAT(follow(wanted, etag), UnorderedElementsAreArray(ids));
    const Wanted later{.options = {.since = clock_.now_seconds() + 10}};
    etag.clear();
    EXPECT_THAT(follow(later, etag), IsEmpty());
    add(5);
    EXPECT_THAT(follow({}, etag), IsEmpty()) << "the time is still to come";
    clock_.advance(std::chrono::seconds(10));
    const Ids last = add(5);
    EXPECT_THAT(follow({}, etag), UnorderedElementsAreArray(last));
}

TEST_F(ChangeFeedTest, IsTheSameHoweverItIsDivided) {
    use(services_.container(R"({"id":"c2"})", 5));
    const Ids ids = add(100);
    for (const char* size : {"1", "3", "100", "-1"})
        EXPECT_THAT(follow({.size = size}), UnorderedElementsAreArray(ids)) << size;
    Ids by_range;
    Ids by_epks;
    for (const catalog::PartitionRange& range : newest()->ranges) {
        const Ids some = follow({.range_id = std::to_string(range.id)});
        by_range.insert(by_range.end(), some.begin(), some.end());
        const Ids others = follow({.start_epk = to_hex_upper(range.epks.min_inclusive),
                                   .end_epk = to_hex_upper(range.epks.max_exclusive)});
        EXPECT_EQ(some, others);
    }
    EXPECT_THAT(by_range, UnorderedElementsAreArray(ids));
    Ids by_key;
    for (int i = 0; i < 12; ++i) {
        const Ids some = follow({.key = "[\"key " + std::to_string(i) + "\"]"});
        EXPECT_TRUE(std::is_sorted(some.begin(), some.end(), [](const auto& a, const auto& b) {
            return std::stoi(a.substr(5)) < std::stoi(b.substr(5));
        }));
        by_key.insert(by_key.end(), some.begin(), some.end());
    }
    EXPECT_THAT(by_key, UnorderedElementsAreArray(ids));
    EXPECT_THAT(follow({.key = R"(["nobody"])"}), IsEmpty());
    EXPECT_THAT(follow({.key = R"(["key 3"])", .start_epk = "00", .end_epk = "00"}), IsEmpty());
}

// A range that is written to all the time must not keep the others from being read.
TEST_F(ChangeFeedTest, TakesTurns) {
    use(services_.container(R"({"id":"c2"})", 4));
    const Ids ids = add(200);
    std::string etag;
    std::map<std::uint32_t, int> pages;
    for (int i = 0; i < 8; ++i) {
        Request request;
        request.max_item_count = "2";
        if (!etag.empty()) request.if_none_match = etag;
        Asked asked(request);
        const ChangesAnswer answer = must(services_.changes->read(asked, *newest(), {}));
        etag = answer.etag;
        ++pages[asked.context.receipt.position->range_id];
    }
    EXPECT_EQ(pages.size(), 4U);
    for (const auto& [range, count] : pages)
        EXPECT_EQ(count, 2) << range;
}

TEST_F(ChangeFeedTest, GoesOnAfterSplitsAndMerges) {
    std::string whole;
    std::string range;
    std::string unread;  // has read a part of it
    Ids expected = add(100);
    Ids read = follow({}, whole);
    Ids read_range = follow({.range_id = "0"}, range);
    unread = must(page({.size = "30"}, "")).etag;
    split(0);
    EXPECT_EQ(code_of(page({.range_id = "0"}, range)), "410/1002");
    const auto add_more = [&](int count) {
        const Ids more = add(count);
        expected.insert(expected.end(), more.begin(), more.end());
    };
    const auto read_more = [&] {
        const Ids more = follow({}, whole);
        read.insert(read.end(), more.begin(), more.end());
        EXPECT_THAT(read, UnorderedElementsAreArray(expected));
    };
    add_more(50);
    read_more();
    for (const char* id : {"1", "2"}) {
        std::string etag = range;  // of the parent
        const Ids more = follow({.range_id = id}, etag);
        read_range.insert(read_range.end(), more.begin(), more.end());
    }
    EXPECT_THAT(read_range, UnorderedElementsAreArray(expected));
    add_more(20);
    split(2);
    add_more(20);
    merge(1);
    add_more(20);
    read_more();
    EXPECT_EQ(follow({}, unread).size(), expected.size() - 30);
    EXPECT_THAT(follow({}), UnorderedElementsAreArray(expected));
}

// Parents of a merge have LSNs that say nothing about each other.
TEST_F(ChangeFeedTest, GoesOnAfterAMergeOfUnequalRanges) {
    use(services_.container(R"({"id":"c2"})", 2));
    const auto low = newest()->ranges[0].epks;
    const auto high = newest()->ranges[1].epks;
    const auto key_in = [&](const model::EpkRange& epks, int from) {
        for (int i = from;; ++i) {
            std::string key = "key " + std::to_string(i);
            const model::PartitionKeyValue value{key};
            if (epks.contains(model::effective_partition_key(value, model::HashKind::kHashV2)))
                return key;
        }
    };
    const std::string low_key = key_in(low, 0);
    const std::string high_key = key_in(high, 0);
    const auto create = [&](const std::string& id, const std::string& key) {
        ASSERT_TRUE(services_.create(newest(), item(id, key)).answer);
    };
    for (int i = 0; i < 5; ++i)
        create("low " + std::to_string(i), low_key);
    for (int i = 0; i < 50; ++i)
        create("high " + std::to_string(i), high_key);
    std::string some;  // has read a part of the high range only
    std::string done;
    const Wanted of_high{.range_id = "1", .size = "20"};
    const std::string high_etag = must(page(of_high, "")).etag;
    EXPECT_EQ(high_etag, "\"20\"");
    follow({}, done);
    EXPECT_NE(done.find('|'), std::string::npos);
    some = must(page({.size = "3"}, "")).etag;
    merge(0);
    create("low 5", low_key);
    create("high 50", high_key);
    EXPECT_THAT(follow({}, done), ElementsAre("low 5", "high 50"));
    EXPECT_EQ(done, "\"52\"") << "one position again";
    EXPECT_EQ(follow({}, some).size(), 54U);
    std::string etag = high_etag;
    EXPECT_EQ(follow({.range_id = std::to_string(newest()->ranges[0].id),
                      .start_epk = to_hex_upper(high.min_inclusive),
                      .end_epk = to_hex_upper(high.max_exclusive)},
                     etag)
                  .size(),
              31U);
    // A time in the past finds everything, though the log is not in order.
    EXPECT_EQ(follow({.options = {.since = clock_.now_seconds()}}).size(), 57U);
}

TEST_F(ChangeFeedTest, DoesNotBlockWhereNothingIsNew) {
    add(3);
    Request request;
    request.if_none_match = "\"3\"";
    Asked asked(request);
    asked.context.allowance.may_block = false;
    EXPECT_FALSE(must(services_.changes->read(asked, *newest(), {})).modified);
    EXPECT_EQ(asked.context.receipt.charge, 1);
    EXPECT_EQ(asked.context.receipt.position->lsn, 3);
    asked.context.request.if_none_match = "\"2\"";
    const auto refused = services_.changes->read(asked, *newest(), {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kWouldBlock);
}

TEST_F(ChangeFeedTest, StopsBeforeARangeInDebt) {
    use(services_.container(R"({"id":"c2"})", 3));
    const Ids ids = add(30);
    must(services_.partitions->open(*newest(), 1))->ledger().spend({}, 1e6, {}, monotonic_now());
    const Wanted wanted{.size = "-1"};
    Asked asked(wanted.request());
    asked.context.allowance.claim.emplace();
    const ChangesAnswer answer = must(services_.changes->read(asked, *newest(), {}));
    EXPECT_TRUE(answer.modified);
    EXPECT_EQ(asked.context.receipt.charge, static_cast<double>(answer.page.count));
    Request request;
    request.if_none_match = answer.etag;
    Asked again(request);
    again.context.allowance.claim.emplace();
    EXPECT_EQ(code_of(services_.changes->read(again, *newest(), {})), "429/3200");
    Ids read = ids_of(answer.page);
    std::string etag = answer.etag;
    const Ids rest = follow({}, etag);
    read.insert(read.end(), rest.begin(), rest.end());
    EXPECT_THAT(read, UnorderedElementsAreArray(ids));
}

TEST_F(ChangeFeedTest, HasEnvelopesAndFilters) {
    add(3);
    ChangeFeedOptions options{.envelope = true};
    ChangesAnswer answer = must(page({.options = options}, "\"2\""));
    const auto envelope = parsed(answer.page.elements);
    EXPECT_EQ(envelope.find("current")->find("id")->string(), "item 2");
    EXPECT_EQ(envelope.find("metadata")->text(), R"({"lsn":3,"crts":1700000000})");
    options.envelope = false;
    options.filter =
        QueryText{.body = R"({"query":"SELECT VALUE c.id FROM c WHERE c.id > @id AND c._lsn < 3",
                    "parameters":[{"name":"@id","value":"item 0"}]})"};
    answer = must(page({.options = options}, ""));
    EXPECT_EQ(answer.page.elements, R"("item 1")");
    EXPECT_EQ(answer.etag, "\"3\"");
    ASSERT_TRUE(services_.create(newest(), item("l", "key", R"(,"list":[1,2])")).answer);
    options.envelope = true;
    options.filter =
        QueryText{.body = "SELECT VALUE x FROM c JOIN x IN c.list", .plain_text = true};
    EXPECT_EQ(code_of(page({.options = options}, "")), "400") << "two rows in one envelope";
    options.envelope = false;
    EXPECT_EQ(must(page({.options = options}, "")).page.elements, "1,2");
    for (const char* query : {"SELECT TOP 1 * FROM c",
                              "SELECT * FROM c ORDER BY c.id",
                              "SELECT COUNT(1) FROM c",
                              "SELECT DISTINCT c.id FROM c",
                              "SELECT c.id FROM c GROUP BY c.id",
                              "SELECT * FROM c OFFSET 1 LIMIT 1",
                              "SELECT udf.f(c) FROM c",
                              "SELECT nonsense"}) {
        options.filter = QueryText{.body = query, .plain_text = true};
        EXPECT_EQ(code_of(page({.options = options}, "")), "400") << query;
    }
}

TEST_F(ChangeFeedTest, HasAllVersionsWhereTheyAreKept) {
    const Wanted wanted{.options = {.all_versions = true}};
    EXPECT_EQ(code_of(page(wanted, "*")), "400") << "there is no policy";
    use(services_.container(R"({"id":"c2","changeFeedPolicy":{"retentionDuration":10}})", 2));
    EXPECT_EQ(code_of(page(wanted, "")), "400") << "not from the beginning";
    std::string etag = must(page(wanted, "*")).etag;
    ASSERT_TRUE(services_.create(newest(), item("1", "k")).answer);
    Request request;
    request.partition_key = R"(["k"])";
    ASSERT_TRUE(services_.remove(newest(), "1", request).answer);
    const ChangesAnswer answer = must(page(wanted, etag));
    EXPECT_EQ(answer.page.count, 2U);
    const json::Value changes = parsed("[" + answer.page.elements + "]");
    EXPECT_EQ(changes.array()[0].find("metadata")->text(),
              R"({"operationType":"create","lsn":1,"crts":1700000000})");
    EXPECT_EQ(changes.array()[1].find("metadata")->text(),
              R"({"operationType":"delete","lsn":2,"crts":1700000000,"previousImageLSN":1,)"
              R"("id":"1","partitionKey":["k"]})");
    EXPECT_EQ(changes.array()[1].find("current")->text(), "{}");
    EXPECT_EQ(changes.array()[1].find("previous")->find("id")->string(), "1");
    EXPECT_FALSE(must(page(wanted, answer.etag)).modified);
}

TEST_F(ChangeFeedTest, RefusesEtagsOfOthers) {
    add(3);
    EXPECT_EQ(code_of(page({}, "\"4\"")), "400") << "it is ahead";
    EXPECT_EQ(code_of(page({}, "nonsense")), "400");
    use(services_.container(R"({"id":"c2"})", 4));
    add(30);
    std::string etag;
    const auto& ranges = newest()->ranges;
    follow({.start_epk = "", .end_epk = to_hex_upper(ranges[1].epks.max_exclusive)}, etag);
    EXPECT_NE(etag.find('|'), std::string::npos);
    EXPECT_EQ(code_of(page({}, etag)), "400") << "it says nothing about the other ranges";
    EXPECT_EQ(code_of(page({.range_id = "1"}, etag)), "ok");
}

}  // namespace change_feed_test
}  // namespace orrery::service
