#include "partition/item_writer.h"

#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "partition/item_json.h"
#include "partition/test_support.h"
#include "storage/engine_test_support.h"

namespace orrery::partition {
namespace item_writer_test {

using storage::testing_support::value_of;
using testing::StartsWith;
using testing_support::ContainerUnderTest;
using testing_support::expect_sound;
using testing_support::identity;
using testing_support::item;
using testing_support::kStartSecond;
using testing_support::must;

constexpr const char* kUnique = R"({"defaultTtl":-1,"uniqueKeyPolicy":{"uniqueKeys":)"
                                R"([{"paths":["/u"]},{"paths":["/v"]}]}})";

// A store and its counters; each writer is one commit.
class ItemWriterTest : public testing::Test {
protected:
    ItemWriter writer(std::int64_t after = 0) {
        return ItemWriter(identity_, state_, *store_, *index_, kStartSecond + after);
    }
    void commit(ItemWriter& writer) {
        ASSERT_TRUE(store_->commit(writer.finish()));
        index_->committed();
        state_ = writer.state();
        expect_sound(*store_);
    }
    std::string etag_of(const WrittenItem& written) const {
        return item_etag(identity_, written.item.header());
    }

    const Identity identity_ = identity();
    storage::MemoryEngine engine_;
    std::shared_ptr<storage::PartitionStore> store_ = must(engine_.open(7));
    State state_;
    ContainerUnderTest plain_;
    std::unique_ptr<ItemIndex> index_ = must(ItemIndex::open(*store_, plain_.policy(), nullptr));
    ContainerUnderTest aging_{R"({"defaultTtl":100})"};
    ContainerUnderTest unique_{kUnique};
};

template <typename T>
std::string failure(const Result<T>& result) {
    if (result) return "done";
    const std::string sub =
        result.error().sub_status() == 0 ? "" : "/" + std::to_string(result.error().sub_status());
    switch (result.error().code()) {
        case ErrorCode::kConflict:
            return "conflict" + sub;
        case ErrorCode::kNotFound:
            return "not found" + sub;
        case ErrorCode::kPreconditionFailed:
            return "precondition" + sub;
        case ErrorCode::kBadRequest:
            return "bad request" + sub;
        default:
            return result.error().message();
    }
}

TEST_F(ItemWriterTest, CreateWritesTheItemWithItsSystemProperties) {
    ItemWriter first = writer();
    const WrittenItem written = must(plain_.create(first, item("1", "a", R"(,"n":1.50)")));
    EXPECT_TRUE(written.created);
    EXPECT_EQ(written.item.json(),
              R"({"id":"1","pk":"a","n":1.50,"_rid":"AQAAAIAAAAEBAAAAAAMAAA==",)"
              R"("_self":"dbs/AQAAAA==/colls/AQAAAIAAAAE=/docs/AQAAAIAAAAEBAAAAAAMAAA==/",)"
              R"("_etag":"\"00000000-0001-0007-0000-6553f1000000\"",)"
              R"("_attachments":"attachments/","_ts":1700000000})");
    EXPECT_EQ(etag_of(written), "\"00000000-0001-0007-0000-6553f1000000\"");
    EXPECT_EQ(written.item.docnum(), 0x30000000001U);  // range 3, item 1
    commit(first);
    EXPECT_EQ(state_.lsn, 1);
    EXPECT_EQ(state_.last_item, 1U);
    EXPECT_EQ(state_.item_count, 1U);
    EXPECT_EQ(state_.item_bytes, written.item.json().size());
    EXPECT_EQ(state_.last_timestamp, kStartSecond);
}

TEST_F(ItemWriterTest, IdsAreUniqueWithinAPartitionKeyOnly) {
    ItemWriter first = writer();
    EXPECT_EQ(failure(plain_.create(first, item("1", "a"))), "done");
    EXPECT_EQ(failure(plain_.create(first, item("1", "b"))), "done");
    EXPECT_EQ(failure(plain_.create(first, item("2", "a"))), "done");
    EXPECT_EQ(failure(plain_.create(first, item("1", "a"))), "conflict");
    commit(first);
    ItemWriter second = writer();
    EXPECT_EQ(failure(plain_.create(second, item("1", "a"))), "conflict");
    EXPECT_TRUE(second.finish().empty());
    EXPECT_EQ(second.state().lsn, 3);
}

TEST_F(ItemWriterTest, UpsertInsertsOrOverwrites) {
    ItemWriter first = writer();
    const WrittenItem inserted = must(plain_.upsert(first, item("1", "a")));
    const WrittenItem replaced = must(plain_.upsert(first, item("1", "a", R"(,"n":2)")));
    EXPECT_TRUE(inserted.created);
    EXPECT_FALSE(replaced.created);
    EXPECT_EQ(replaced.item.docnum(), inserted.item.docnum());
    EXPECT_NE(etag_of(replaced), etag_of(inserted));
    commit(first);
    EXPECT_EQ(state_.item_count, 1U);
    EXPECT_EQ(state_.item_bytes, replaced.item.json().size());
    EXPECT_EQ(state_.lsn, 2);
    ItemWriter second = writer();
    EXPECT_EQ(must(plain_.upsert(second, item("1", "a"))).item.docnum(), inserted.item.docnum());
    commit(second);
}

TEST_F(ItemWriterTest, ReplaceRequiresTheItemAndItsPartitionKey) {
    ItemWriter first = writer();
    EXPECT_EQ(failure(plain_.replace(first, "1", item("1", "a"))), "not found");
    must(plain_.create(first, item("1", "a")));
    EXPECT_FALSE(must(plain_.replace(first, "1", item("1", "a", R"(,"n":2)"))).created);
    const model::ItemBody other = plain_.body(item("1", "b"));
    EXPECT_EQ(failure(first.replace(plain_.ref({"a"}, "1"), other, {})), "bad request");
    EXPECT_EQ(failure(plain_.replace(first, "1", item("1", "b"))), "not found");
    commit(first);
    EXPECT_EQ(state_.item_count, 1U);
}

TEST_F(ItemWriterTest, ReplaceCanRename) {
    ItemWriter first = writer();
    const WrittenItem before = must(plain_.create(first, item("1", "a")));
    must(plain_.create(first, item("2", "a")));
    commit(first);
    ItemWriter second = writer();
    EXPECT_EQ(failure(plain_.replace(second, "1", item("2", "a"))), "conflict");
    const WrittenItem renamed = must(plain_.replace(second, "1", item("3", "a")));
    EXPECT_EQ(renamed.item.docnum(), before.item.docnum());
    EXPECT_EQ(failure(plain_.replace(second, "1", item("1", "a"))), "not found");
    EXPECT_EQ(failure(plain_.create(second, item("1", "a"))), "done");
    EXPECT_EQ(failure(plain_.create(second, item("3", "a"))), "conflict");
    commit(second);
    EXPECT_EQ(state_.item_count, 3U);
    EXPECT_FALSE(value_of(*store_, log_key_of(before.item.header(), before.item.docnum())));
}

TEST_F(ItemWriterTest, FindsItemsByNumber) {
    ItemWriter first = writer();
    const Docnum docnum = must(plain_.create(first, item("1", "a"))).item.docnum();
    ItemRef by_number{.epk = {}, .partition_key = std::nullopt, .id = {}, .docnum = docnum};
    EXPECT_EQ(failure(first.replace(by_number, plain_.body(item("1", "a", R"(,"n":1)")), {})),
              "done");
    EXPECT_EQ(failure(first.replace(by_number, plain_.body(item("1", "b")), {})), "bad request");
    by_number.partition_key = model::PartitionKeyValue{"b"}.encode();
    EXPECT_EQ(failure(first.remove(by_number, {})), "not found");
    by_number.partition_key.reset();
    EXPECT_EQ(failure(first.remove(by_number, {})), "done");
    EXPECT_EQ(failure(first.remove(by_number, {})), "not found");
    commit(first);
    EXPECT_EQ(state_.item_count, 0U);
}

TEST_F(ItemWriterTest, RemoveLeavesOnlyTheCountersAndTheLog) {
    ItemWriter first = writer();
    must(unique_.create(first, item("1", "a", R"(,"ttl":50,"u":1)")));
    commit(first);
    ItemWriter second = writer();
    EXPECT_EQ(must(unique_.remove(second, {"a"}, "1")), 2);
    EXPECT_EQ(failure(unique_.remove(second, {"a"}, "1")), "not found");
    commit(second);
    // And the index's dictionary.
    EXPECT_THAT(storage::testing_support::keys(*store_, {}), StartsWith("M MI N"));
    EXPECT_EQ(storage::testing_support::keys(*store_, {.from = "O", .until = "V"}), "");
    EXPECT_TRUE(value_of(*store_, removal_key({.lsn = 2, .ordinal = 0, .docnum = 0x30000000001})));
    EXPECT_EQ(state_.item_count, 0U);
    EXPECT_EQ(state_.item_bytes, 0U);
    ItemWriter third = writer();
    EXPECT_EQ(must(unique_.create(third, item("1", "a"))).item.docnum(), 0x30000000002U);
}

TEST_F(ItemWriterTest, EveryChangeChecksTheEtag) {
    ItemWriter first = writer();
    const std::string old = etag_of(must(plain_.create(first, item("1", "a"))));
    const std::string etag = etag_of(must(plain_.upsert(first, item("1", "a"), old)));
    EXPECT_EQ(failure(plain_.upsert(first, item("1", "a"), old)), "precondition");
    EXPECT_EQ(failure(plain_.replace(first, "1", item("1", "a"), old)), "precondition");
    EXPECT_EQ(failure(plain_.remove(first, {"a"}, "1", old)), "precondition");
    EXPECT_EQ(first.state().lsn, 2);
    const std::string newest = etag_of(must(plain_.replace(first, "1", item("1", "a"), etag)));
    EXPECT_EQ(failure(plain_.replace(first, "1", item("1", "a"), "*")), "done");
    EXPECT_EQ(failure(plain_.remove(first, {"a"}, "1", newest)), "precondition");
    EXPECT_EQ(failure(plain_.remove(first, {"a"}, "1", "*")), "done");
    EXPECT_EQ(failure(plain_.remove(first, {"a"}, "1", "*")), "not found");
    // An upsert checks the etag only if there is an item to compare with.
    EXPECT_EQ(failure(plain_.upsert(first, item("1", "a"), old)), "done");
    commit(first);
}

TEST_F(ItemWriterTest, EveryVersionHasItsOwnEtag) {
    ItemWriter first = writer();
    std::string last = etag_of(must(plain_.create(first, item("1", "a"))));
    for (int i = 0; i < 5; ++i) {
        const std::string next = etag_of(must(plain_.upsert(first, item("1", "a"))));
        EXPECT_LT(last, next);
        last = next;
    }
}

TEST_F(ItemWriterTest, UniqueKeysApplyWithinAPartitionKey) {
    ItemWriter first = writer();
    EXPECT_EQ(failure(unique_.create(first, item("1", "a", R"(,"u":1,"v":1)"))), "done");
    EXPECT_EQ(failure(unique_.create(first, item("2", "a", R"(,"u":1,"v":2)"))), "conflict/3301");
    EXPECT_EQ(failure(unique_.create(first, item("2", "a", R"(,"u":2,"v":1)"))), "conflict/3301");
    EXPECT_EQ(failure(unique_.create(first, item("1", "b", R"(,"u":1,"v":1)"))), "done");
    EXPECT_EQ(failure(unique_.create(first, item("2", "a", R"(,"u":2,"v":2)"))), "done");
    EXPECT_EQ(failure(unique_.replace(first, "2", item("2", "a", R"(,"u":1,"v":2)"))),
              "conflict/3301");
    EXPECT_EQ(failure(unique_.upsert(first, item("2", "a", R"(,"u":2,"v":1)"))), "conflict/3301");
    EXPECT_EQ(failure(unique_.upsert(first, item("2", "a", R"(,"u":2,"v":3)"))), "done");
    EXPECT_EQ(failure(unique_.upsert(first, item("3", "a", R"(,"u":3,"v":2)"))), "done");
    commit(first);
}

TEST_F(ItemWriterTest, MissingUniqueValueCountsAsNull) {
    ItemWriter first = writer();
    EXPECT_EQ(failure(unique_.create(first, item("1", "a", R"(,"v":1)"))), "done");
    EXPECT_EQ(failure(unique_.create(first, item("2", "a", R"(,"v":2)"))), "conflict/3301");
    EXPECT_EQ(failure(unique_.create(first, item("2", "a", R"(,"u":null,"v":2)"))),
              "conflict/3301");
    EXPECT_EQ(failure(unique_.create(first, item("2", "a", R"(,"u":"null","v":2)"))), "done");
}

TEST_F(ItemWriterTest, RemovalAndChangeFreeUniqueValues) {
    ItemWriter first = writer();
    must(unique_.create(first, item("1", "a", R"(,"u":1,"v":1)")));
    must(unique_.replace(first, "1", item("9", "a", R"(,"u":2,"v":1)")));
    EXPECT_EQ(failure(unique_.create(first, item("2", "a", R"(,"u":1,"v":2)"))), "done");
    must(unique_.remove(first, {"a"}, "9"));
    EXPECT_EQ(failure(unique_.create(first, item("3", "a", R"(,"u":2,"v":1)"))), "done");
    commit(first);
}

TEST_F(ItemWriterTest, ExpiredHoldersDoNotBlockUniqueValues) {
    ItemWriter first = writer();
    must(unique_.create(first, item("1", "a", R"(,"ttl":10,"u":1,"v":1)")));
    must(unique_.create(first, item("2", "a", R"(,"ttl":10,"u":2,"v":2)")));
    commit(first);
    ItemWriter early = writer(9);
    EXPECT_EQ(failure(unique_.create(early, item("3", "a", R"(,"u":1,"v":2)"))), "conflict/3301");
    ItemWriter late = writer(10);
    EXPECT_EQ(failure(unique_.create(late, item("3", "a", R"(,"u":1,"v":2)"))), "done");
    commit(late);
    EXPECT_EQ(state_.item_count, 1U);
}

TEST_F(ItemWriterTest, ExpiredItemsDoNotBlockTheirIds) {
    ItemWriter first = writer();
    for (const char* id : {"1", "2", "3", "4"}) {
        must(aging_.create(first, item(id, "a")));
    }
    commit(first);
    ItemWriter early = writer(99);
    EXPECT_EQ(failure(aging_.create(early, item("1", "a"))), "conflict");
    ItemWriter late = writer(100);
    EXPECT_EQ(failure(aging_.replace(late, "1", item("1", "a"))), "not found");
    EXPECT_EQ(failure(aging_.remove(late, {"a"}, "1")), "not found");
    const WrittenItem created = must(aging_.create(late, item("1", "a")));
    EXPECT_TRUE(created.created);
    EXPECT_EQ(created.item.docnum(), 0x30000000005U);
    EXPECT_TRUE(must(aging_.upsert(late, item("2", "a"), "\"old\"")).created);
    EXPECT_EQ(failure(aging_.replace(late, "2", item("3", "a"))), "done");
    commit(late);
    EXPECT_EQ(state_.item_count, 3U);
}

TEST_F(ItemWriterTest, RemoveIfHiddenChecksAgain) {
    ItemWriter first = writer();
    const Docnum docnum = must(aging_.create(first, item("1", "a"))).item.docnum();
    commit(first);
    ItemWriter early = writer(99);
    EXPECT_FALSE(must(early.remove_if_hidden(docnum, 100)));
    EXPECT_FALSE(must(early.remove_if_hidden(docnum, std::nullopt)));
    EXPECT_FALSE(must(early.remove_if_hidden(docnum, -1)));
    EXPECT_FALSE(must(early.remove_if_hidden(docnum + 1, 1)));
    EXPECT_TRUE(early.finish().empty());
    ItemWriter late = writer(100);
    EXPECT_TRUE(must(late.remove_if_hidden(docnum, 100)));
    EXPECT_FALSE(must(late.remove_if_hidden(docnum, 100)));
    commit(late);
    EXPECT_EQ(state_.item_count, 0U);
    EXPECT_EQ(state_.lsn, 2);
}

TEST_F(ItemWriterTest, DistinguishesEqualHashes) {
    ItemWriter first = writer();
    const model::ItemBody a = plain_.body(item("1", "a"));
    const model::ItemBody b = plain_.body(item("1", "b"));
    EXPECT_EQ(failure(first.create(a, "same", {})), "done");
    EXPECT_EQ(failure(first.create(b, "same", {})), "conflict/3302");
    EXPECT_EQ(failure(first.upsert(b, "same", {})), "conflict/3302");
    ItemRef ref{.epk = "same", .partition_key = b.partition_key.encode(), .id = "1", .docnum = {}};
    EXPECT_EQ(failure(first.remove(ref, {})), "not found");
    EXPECT_EQ(failure(first.create(plain_.body(item("2", "b")), "same", {})), "done");
    commit(first);
}

TEST_F(ItemWriterTest, RollbackUndoesEverything) {
    ItemWriter first = writer();
    must(unique_.create(first, item("1", "a", R"(,"u":1,"v":1)")));
    commit(first);
    ItemWriter second = writer();
    must(unique_.create(second, item("2", "a", R"(,"u":2,"v":2)")));
    const ItemWriter::Savepoint before = second.savepoint();
    must(unique_.replace(second, "1", item("7", "a", R"(,"u":7,"v":7,"ttl":5)")));
    must(unique_.remove(second, {"a"}, "2"));
    must(unique_.create(second, item("3", "a", R"(,"u":2,"v":1)")));
    second.rollback_to(before);
    EXPECT_EQ(second.state().lsn, 2);
    EXPECT_EQ(second.state().item_count, 2U);
    EXPECT_EQ(failure(unique_.create(second, item("7", "a", R"(,"u":1,"v":7)"))), "conflict/3301");
    EXPECT_EQ(failure(unique_.create(second, item("2", "a", R"(,"u":7,"v":7)"))), "conflict");
    EXPECT_EQ(failure(unique_.create(second, item("3", "a", R"(,"u":3,"v":3)"))), "done");
    commit(second);
    EXPECT_EQ(state_.item_count, 3U);
    EXPECT_EQ(state_.last_item, 3U);
}

TEST_F(ItemWriterTest, NoChangesNothingToCommit) {
    ItemWriter idle = writer();
    EXPECT_TRUE(idle.finish().empty());
    ItemWriter undone = writer();
    const auto before = undone.savepoint();
    must(plain_.create(undone, item("1", "a")));
    undone.rollback_to(before);
    EXPECT_TRUE(undone.finish().empty());
}

TEST_F(ItemWriterTest, TimestampsNeverDecrease) {
    ItemWriter first = writer(50);
    must(plain_.create(first, item("1", "a")));
    commit(first);
    ItemWriter second = writer(-1000);
    EXPECT_EQ(must(plain_.upsert(second, item("1", "a"))).item.header().timestamp,
              kStartSecond + 50);
    commit(second);
    EXPECT_EQ(state_.last_timestamp, kStartSecond + 50);
}

TEST_F(ItemWriterTest, CountersReadBack) {
    const State state{
        .lsn = 1, .last_item = 2, .item_count = 3, .item_bytes = 4, .last_timestamp = 5};
    const std::string bytes = state.encode();
    EXPECT_EQ(bytes.size(), 40U);
    const State again = must(State::decode(bytes));
    EXPECT_EQ(again.encode(), bytes);
    EXPECT_EQ(again.item_bytes, 4U);
    EXPECT_EQ(State::decode("").error().code(), ErrorCode::kCorrupted);
    EXPECT_FALSE(State::decode(bytes.substr(1)));
    EXPECT_FALSE(State::decode(bytes + "x"));
}

TEST_F(ItemWriterTest, ReportsDamagedRecords) {
    ItemWriter first = writer();
    const Docnum docnum = must(plain_.create(first, item("1", "a"))).item.docnum();
    commit(first);
    storage::testing_support::put(*store_, item_key(docnum), "nonsense");
    ItemWriter second = writer();
    const auto replaced = plain_.replace(second, "1", item("1", "a"));
    ASSERT_FALSE(replaced);
    EXPECT_EQ(replaced.error().code(), ErrorCode::kCorrupted);
    EXPECT_TRUE(second.finish().empty());
}

}  // namespace item_writer_test
}  // namespace orrery::partition
