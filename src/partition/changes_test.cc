#include "partition/changes.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "partition/test_support.h"

namespace orrery::partition {
namespace changes_test {

using testing_support::item;
using testing_support::kStartSecond;
using testing_support::must;
using testing_support::PartitionBench;
using testing_support::run;

constexpr std::size_t kMuch = 1'000'000;

using Ids = std::vector<std::string>;

class Changes : public testing::Test {
protected:
    ChangesRequest request(Lsn after = 0) const {
        return {.scope = {},
                .after = after,
                .since = std::nullopt,
                .items_max = kMuch,
                .bytes_max = kMuch,
                .default_ttl = bench_.container.definition.default_ttl};
    }
    FeedScope key_scope(const model::PartitionKeyValue& key) const {
        return {.partition_key = bench_.container.ref(key, ""), .epks = std::nullopt};
    }
    ChangesPage page(const ChangesRequest& wanted) const {
        return must(read_changes(*bench_.partition,
                                 wanted,
                                 [](const Change& change, std::string& out) -> Result<std::size_t> {
                                     out.append(change.item->id);
                                     return std::size_t{1};
                                 }));
    }
    static Ids ids_of(const ChangesPage& page) {
        Ids ids;
        for (std::size_t at = 0; at < page.items.size();) {
            const std::size_t comma = std::min(page.items.find(',', at), page.items.size());
            ids.push_back(page.items.substr(at, comma - at));
            at = comma + 1;
        }
        EXPECT_EQ(ids.size(), page.count);
        return ids;
    }
    Ids changed(const ChangesRequest& wanted) const { return ids_of(page(wanted)); }
    void create(const std::string& id, const std::string& key = "a") {
        ASSERT_TRUE(bench_.create(item(id, key)));
    }
    void upsert(const std::string& id, const std::string& key = "a") {
        ASSERT_TRUE(bench_.upsert(item(id, key)));
    }
    // All in one transaction.
    void create_together(const Ids& ids, const std::string& key = "a") {
        ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
            writer.begin_transaction();
            for (const std::string& id : ids) {
                TRY(bench_.container.create(writer, item(id, key)));
            }
            writer.end_transaction();
            return {};
        }));
    }

    PartitionBench bench_{R"({"defaultTtl":-1})"};
};

TEST_F(Changes, AreInTheOrderOfTheirCommits) {
    EXPECT_EQ(changed(request()), Ids());
    create("1");
    create("2", "b");
    create("3");
    upsert("1");
    const ChangesPage all = page(request());
    EXPECT_EQ(ids_of(all), (Ids{"2", "3", "1"}));
    EXPECT_TRUE(all.complete);
    EXPECT_EQ(all.until, 4);
    EXPECT_EQ(all.lsn, 4);
    EXPECT_EQ(changed(request(2)), (Ids{"3", "1"}));
    EXPECT_EQ(changed(request(4)), Ids());
}

// Runs of items are read with a cursor, others one by one; where they were created one after the
// other, the log is not read.
TEST_F(Changes, RunsAndScatteredItemsComeInOrder) {
    std::mt19937_64 random(7);
    Ids expected;
    const auto write = [&](const std::string& id) {
        upsert(id);
        std::erase(expected, id);
        expected.push_back(id);
    };
    for (int i = 0; i < 1500; ++i) {
        write(std::to_string(i));
        const std::string other = std::to_string(random() % 1500);
        // Often, seldom, and then often again.
        const auto choice = random() % (i / 500 == 1 ? 150 : 8);
        if (choice == 0) write(other);
        if (choice == 1 && std::erase(expected, other) > 0) {
            ASSERT_TRUE(bench_.remove({"a"}, other));
        }
        if (choice == 2) {
            const Ids together = {"x" + std::to_string(i), "y" + std::to_string(i)};
            create_together(together);
            expected.insert(expected.end(), together.begin(), together.end());
        }
    }
    EXPECT_EQ(changed(request()), expected);
    ChangesRequest wanted = request();
    wanted.items_max = 37;
    Ids paged;
    for (bool complete = false; !complete;) {
        const ChangesPage one = page(wanted);
        for (const std::string& id : ids_of(one))
            paged.push_back(id);
        wanted.after = one.until;
        complete = one.complete;
    }
    EXPECT_EQ(paged, expected);
}

// After a merge, several items may have the same LSN although each was the only one where it was
// written.
TEST_F(Changes, OfPartitionsThatWereMerged) {
    Ids expected;
    for (int i = 1; i <= 60; ++i) {
        const std::string id = std::to_string(i);
        create(id);
        expected.push_back(id);
        if (i == 30 || i == 60) expected.push_back("other" + id);
    }
    ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        for (const Lsn lsn : {30, 60}) {
            const Docnum docnum = (Docnum{9} << 40) + static_cast<Docnum>(lsn);
            const std::string id = "other" + std::to_string(lsn);
            const model::PartitionKeyValue key{"b"};
            std::string record;
            append_item_head(record,
                             {.lsn = lsn, .timestamp = 1, .origin = 9, .sole_change = true},
                             {.epk = bench_.container.epk(key),
                              .partition_key = key.encode(),
                              .id = id,
                              .unique_digests = {}});
            record += R"({"id":")" + id + R"(","pk":"b"})";
            const StoredItem item = TRY(StoredItem::decode(docnum, record));
            TRY(writer.import(item, {.kind = ChangeKind::kCreate, .previous = 0}));
        }
        return writer.seal({.lsn = 60, .timestamp = 1, .unordered = 60});
    }));
    for (int i = 61; i <= 100; ++i) {
        create(std::to_string(i));
        expected.push_back(std::to_string(i));
    }
    EXPECT_EQ(changed(request()), expected);
}

TEST_F(Changes, LeaveOutWhatIsGone) {
    create("1");
    create("2", "b");
    create("3", "c");
    ASSERT_TRUE(bench_.remove({"a"}, "1"));
    ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        const model::PartitionKeyValue key{"b"};
        TRY(writer.delete_key(key.encode(), bench_.container.epk(key)));
        return {};
    }));
    ASSERT_TRUE(bench_.create(item("4", "d", R"(,"ttl":10)")));
    EXPECT_EQ(changed(request()), (Ids{"3", "4"}));
    bench_.clock.advance(std::chrono::seconds(10));
    const ChangesPage rest = page(request());
    EXPECT_EQ(ids_of(rest), Ids{"3"});
    EXPECT_EQ(rest.until, 6) << "a removal moves the position";
}

TEST_F(Changes, PagesEndAfterATransaction) {
    create("1");
    create_together({"2", "3", "4"});
    create_together({"5", "6"});
    create("7");
    ChangesRequest wanted = request();
    std::vector<Ids> pages;
    for (const std::size_t size : {1U, 2U, 3U, 4U, 5U}) {
        wanted.items_max = size;
        wanted.after = 0;
        pages.clear();
        for (bool complete = false; !complete;) {
            const ChangesPage one = page(wanted);
            if (one.count > 0) pages.push_back(ids_of(one));
            wanted.after = one.until;
            complete = one.complete;
        }
        const std::vector<Ids> whole = {{"1"}, {"2", "3", "4"}, {"5", "6"}, {"7"}};
        const std::vector<Ids> two = {{"1", "2", "3", "4"}, {"5", "6", "7"}};
        const std::vector<Ids> three = {{"1"}, {"2", "3", "4"}, {"5", "6", "7"}};
        EXPECT_EQ(pages, size >= 4 ? two : size == 3 ? three : whole) << size;
    }
    wanted = request(1);
    wanted.items_max = 2;
    wanted.at_least_one = false;
    EXPECT_EQ(page(wanted).count, 0U);
    EXPECT_EQ(page(wanted).until, 1);
    wanted = request(1);
    wanted.bytes_max = 6;
    EXPECT_EQ(changed(wanted), (Ids{"2", "3", "4"}));
}

TEST_F(Changes, OfAKeyAreFoundWithoutReadingTheWholeLog) {
    create("1", "rare");
    ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        for (int i = 0; i < 5000; ++i) {
            TRY(bench_.container.upsert(writer, item(std::to_string(i % 500), "busy")));
        }
        return {};
    }));
    create("2", "rare");
    upsert("1", "rare");
    ChangesRequest wanted = request();
    wanted.scope = key_scope({"rare"});
    const ChangesPage rare = page(wanted);
    EXPECT_EQ(ids_of(rare), (Ids{"2", "1"}));
    EXPECT_EQ(rare.until, bench_.partition->lsn());
    EXPECT_EQ(rare.items_read, 2U);
    const std::string epk = bench_.container.epk({"rare"});
    wanted.scope = {.partition_key = std::nullopt,
                    .epks = model::EpkRange{.min_inclusive = epk, .max_exclusive = epk + '\0'}};
    EXPECT_EQ(changed(wanted), (Ids{"2", "1"}));
    wanted.after = bench_.partition->lsn() - 1;
    EXPECT_EQ(changed(wanted), Ids{"1"});
}

TEST_F(Changes, SinceATime) {
    for (int i = 0; i < 200; ++i) {
        create(std::to_string(i));
        bench_.clock.advance(std::chrono::seconds(1));
    }
    for (const int second : {0, 1, 57, 150, 199, 200}) {
        ChangesRequest wanted = request();
        wanted.since = kStartSecond + second;
        Ids expected;
        for (int i = second; i < 200; ++i)
            expected.push_back(std::to_string(i));
        const ChangesPage found = page(wanted);
        EXPECT_EQ(ids_of(found), expected) << second;
        EXPECT_TRUE(found.complete);
        EXPECT_EQ(found.until, 200);
    }
    // In a log that is not in order the search must not skip what is before.
    ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        return writer.seal({.lsn = 0, .timestamp = 0, .unordered = 150});
    }));
    testing_support::expect_sound(bench_.store());
    for (const int second : {30, 190}) {
        ChangesRequest wanted = request();
        wanted.since = kStartSecond + second;
        EXPECT_EQ(changed(wanted).size(), static_cast<std::size_t>(200 - second));
    }
}

TEST_F(Changes, EndWhenTimeIsUp) {
    for (int i = 0; i < 200; ++i)
        create(std::to_string(i));
    ChangesRequest wanted = request();
    wanted.deadline = std::chrono::steady_clock::time_point::min();
    const ChangesPage first = page(wanted);
    EXPECT_GT(first.count, 0U);
    EXPECT_LT(first.count, 200U);
    EXPECT_FALSE(first.complete);
    EXPECT_EQ(first.until, static_cast<Lsn>(first.count));
}

TEST_F(Changes, OfAClosedPartitionAreGone) {
    create("1");
    bench_.partition->close();
    EXPECT_FALSE(read_changes(*bench_.partition, request(), {}));
}

}  // namespace changes_test
}  // namespace orrery::partition
