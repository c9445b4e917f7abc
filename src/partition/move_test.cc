// An item keeps its identity when it is moved to another partition.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "partition/feed.h"
#include "partition/item_json.h"
#include "partition/test_split.h"
#include "partition/test_support.h"
#include "partition/transaction.h"
#include "partition/transfer.h"

namespace orrery::partition {
namespace move_test {

using testing_support::copy_part;
using testing_support::downgrade;
using testing_support::expect_sound;
using testing_support::item;
using testing_support::must;
using testing_support::PartitionBench;
using testing_support::run;

// What clients see of an item, by docnum.
using Seen = std::map<Docnum, std::pair<std::string, std::string>>;

Seen items_of(const Partition& partition) {
    Seen seen;
    const auto cursor = partition.store().scan(all_of('D'), storage::Direction::kForward);
    for (; cursor->valid(); cursor->next()) {
        const Docnum docnum = must(docnum_of_key(cursor->key()));
        const auto read = must(partition.read(
            {.epk = {}, .partition_key = std::nullopt, .id = {}, .docnum = docnum}, std::nullopt));
        seen[docnum] = {item_etag(partition.identity(), read->header()), std::string(read->json())};
    }
    return seen;
}

// A parent with some history, and the two partitions it is split into. The parameter: whether the
// parent was written by a server with format 2.
class MoveTest : public testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        for (int i = 0; i < 40; ++i) {
            ASSERT_TRUE(bench_.create(item("item " + std::to_string(i),
                                           "key " + std::to_string(i % 8),
                                           R"(,"n":)" + std::to_string(i / 4))));
        }
        ASSERT_TRUE(bench_.upsert(item("item 3", "key 3", R"(,"n":77)")));
        ASSERT_TRUE(bench_.remove({"key 4"}, "item 4"));
        write_in_transaction();
        if (GetParam()) {
            bench_.partition->close();
            downgrade(bench_.store());
            bench_.reopen();
        }
        for (const std::string key : {"key 0", "key 1", "key 2", "key 3", "key 4", "key 5"}) {
            epks_.push_back(bench_.container.epk({key}));
        }
        std::sort(epks_.begin(), epks_.end());
    }
    void TearDown() override {
        for (const auto& partition : opened_)
            partition->close();
    }

    // Items that a transaction writes have etags of another kind.
    void write_in_transaction() {
        SeededRandom random(1);
        const auto transaction = must(Transaction::begin(bench_.partition, random));
        for (const std::string id : {"script 1", "script 2"}) {
            ASSERT_TRUE(transaction->write([this, id](ItemWriter& writer) -> Status {
                TRY(bench_.container.create(writer, item(id, "key 1", R"(,"n":7)")));
                return {};
            }));
        }
        ASSERT_TRUE(transaction->commit());
    }

    std::shared_ptr<Partition> open_child(std::uint32_t range_id,
                                          storage::PartitionId id,
                                          const model::EpkRange& epks,
                                          const std::shared_ptr<Partition>& parent) {
        opened_.push_back(must(Partition::open(
            {.container = parent->identity().container, .range_id = range_id, .storage_id = id},
            must(bench_.engine.open(id)),
            {.executors = bench_.executors, .clock = bench_.clock},
            bench_.container.policy())));
        Transfer transfer(parent, {{.partition = opened_.back(), .epks = epks}});
        must(transfer.catch_up([] { return true; }));
        EXPECT_TRUE(transfer.seal());
        return opened_.back();
    }

    PartitionBench bench_;
    std::vector<std::string> epks_;  // of some keys, ascending
    std::vector<std::shared_ptr<Partition>> opened_;
};

INSTANTIATE_TEST_SUITE_P(Formats, MoveTest, testing::Bool());

TEST_P(MoveTest, ItemsKeepEtagNumberAndText) {
    const Seen before = items_of(*bench_.partition);
    const auto low = open_child(10, 20, {"", epks_[3]}, bench_.partition);
    const auto high = open_child(11, 21, {epks_[3], std::string(model::kEpkEnd)}, bench_.partition);
    Seen after = items_of(*low);
    EXPECT_FALSE(after.empty());
    EXPECT_LT(after.size(), before.size());
    after.merge(items_of(*high));
    EXPECT_EQ(after, before);
    // The etag in the text is the one that conditions are compared with.
    for (const auto& [docnum, seen] : after) {
        EXPECT_NE(seen.second.find(seen.first.substr(1, seen.first.size() - 2)), std::string::npos);
    }
    expect_sound(low->store());
    expect_sound(high->store());
    EXPECT_EQ(low->lsn(), bench_.partition->lsn());
}

TEST_P(MoveTest, ItemsMoveTwice) {
    const auto low = open_child(10, 20, {"", epks_[3]}, bench_.partition);
    const Seen before = items_of(*low);
    const auto lower = open_child(12, 22, {"", epks_[1]}, low);
    Seen after = items_of(*lower);
    after.merge(items_of(*open_child(13, 23, {epks_[1], epks_[3]}, low)));
    EXPECT_EQ(after, before);
    expect_sound(lower->store());
}

TEST_P(MoveTest, OldEtagsAreConditionsOfNewWrites) {
    const auto low = open_child(10, 20, {"", epks_[3]}, bench_.partition);
    for (const auto& [docnum, seen] : items_of(*low)) {
        const ItemRef ref{.epk = {}, .partition_key = std::nullopt, .id = {}, .docnum = docnum};
        const auto found = must(low->read(ref, std::nullopt));
        const model::ItemBody body = bench_.container.body(found->json());
        const auto replace = [&, etag = seen.first](ItemWriter& writer) -> Status {
            TRY(writer.replace(ref, body, bench_.container.rules(etag)));
            return {};
        };
        ASSERT_TRUE(run(*low, replace));
        const Status again = run(*low, replace);
        ASSERT_FALSE(again);
        EXPECT_EQ(again.error().code(), ErrorCode::kPreconditionFailed);
        const auto written = must(low->read(ref, std::nullopt));
        // The new version comes from this partition and is newer than all of the parent's.
        EXPECT_EQ(written->header().origin, 20);
        EXPECT_GT(written->header().lsn, bench_.partition->lsn());
    }
    expect_sound(low->store());
}

TEST_P(MoveTest, NewNumbersCollideWithNone) {
    const auto low = open_child(10, 20, {"", epks_[3]}, bench_.partition);
    const auto high = open_child(11, 21, {epks_[3], std::string(model::kEpkEnd)}, bench_.partition);
    // The parent would have gone on with these.
    ASSERT_TRUE(bench_.create(item("new", "key 6")));
    std::set<Docnum> numbers;
    for (const auto& [docnum, seen] : items_of(*bench_.partition))
        numbers.insert(docnum);
    const Docnum newest = *numbers.rbegin();
    const auto add_items = [&](ItemWriter& writer) -> Status {
        for (const char* id : {"new 1", "new 2", "new 3", "new 4", "new 5"}) {
            TRY(bench_.container.create(writer, item(id, "key 1")));
        }
        return {};
    };
    for (const auto& child : {low, high}) {
        const Seen before = items_of(*child);
        ASSERT_TRUE(run(*child, add_items));
        for (const auto& [docnum, seen] : items_of(*child)) {
            if (before.contains(docnum)) continue;
            EXPECT_TRUE(numbers.insert(docnum).second) << docnum;
            // Insertion order: a scan finds new items last.
            EXPECT_GT(docnum, newest);
        }
        expect_sound(child->store());
    }
}

// A page of the parent's feed, continued in the children.
TEST_P(MoveTest, PositionsOfFeedsAreValidInTheChildren) {
    const model::EpkRange whole{"", std::string(model::kEpkEnd)};
    for (const auto& epks : {std::optional<model::EpkRange>(), std::optional(whole)}) {
        FeedRequest request;
        request.scope.epks = epks;
        request.items_max = 15;
        request.bytes_max = std::size_t{1} << 20;
        const FeedPage first = must(read_feed(*bench_.partition, request));
        request.items_max = 1000;
        request.resume = *first.resume;
        const FeedPage rest = must(read_feed(*bench_.partition, request));
        std::size_t count = 0;
        for (const auto& [range_id, part] :
             {std::pair(10U, model::EpkRange{"", epks_[3]}),
              std::pair(11U, model::EpkRange{epks_[3], std::string(model::kEpkEnd)})}) {
            const auto child =
                open_child(range_id, (epks ? 30 : 20) + range_id, part, bench_.partition);
            const FeedPage page = must(read_feed(*child, request));
            EXPECT_FALSE(page.resume);
            count += page.count;
            const auto texts = json::Value::parse("[" + page.items + "]");
            ASSERT_TRUE(texts);
            for (const json::Value& one : texts->array()) {
                EXPECT_NE(rest.items.find(one.find("_rid")->string()), std::string::npos);
            }
        }
        EXPECT_EQ(count, rest.count);
    }
}

// A key delete hides the parent's items in the child, not the child's own.
TEST_P(MoveTest, KeyDeletesMoveToo) {
    const std::string epk = bench_.container.epk({"key 1"});
    ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        TRY(writer.delete_key(model::PartitionKeyValue{"key 1"}.encode(), epk));
        return {};
    }));
    const auto child = open_child(10, 20, {"", std::string(model::kEpkEnd)}, bench_.partition);
    EXPECT_FALSE(must(child->read(bench_.container.ref({"key 1"}, "item 1"), std::nullopt)));
    ASSERT_TRUE(run(*child, [&](ItemWriter& writer) -> Status {
        TRY(bench_.container.create(writer, item("item 1", "key 1")));
        return {};
    }));
    EXPECT_TRUE(must(child->read(bench_.container.ref({"key 1"}, "item 1"), std::nullopt)));
    ASSERT_TRUE(run(*child, [&](ItemWriter& writer) -> Status {
        TRY(writer.sweep_key(model::PartitionKeyValue{"key 1"}.encode(), 0, 1000));
        return {};
    }));
    EXPECT_TRUE(must(child->read(bench_.container.ref({"key 1"}, "item 1"), std::nullopt)));
    EXPECT_FALSE(must(child->read(bench_.container.ref({"key 1"}, "item 9"), std::nullopt)));
    expect_sound(child->store());
}

}  // namespace move_test
}  // namespace orrery::partition
