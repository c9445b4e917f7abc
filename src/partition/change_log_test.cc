#include "partition/change_log.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "partition/expiry.h"
#include "partition/test_split.h"
#include "partition/test_support.h"

namespace orrery::partition {
namespace change_log_test {

using testing_support::downgrade;
using testing_support::expect_sound;
using testing_support::item;
using testing_support::must;
using testing_support::PartitionBench;
using testing_support::run;

// On disk: these bytes must never change.
TEST(ChangeLog, WorkedExamples) {
    EXPECT_EQ(to_hex_upper(LogEntry{.kind = ChangeKind::kCreate, .previous = 0}.encode()), "01");
    EXPECT_EQ(to_hex_upper(LogEntry{.kind = ChangeKind::kReplace, .previous = 300}.encode()),
              "02AC02");
    const Removal removal{.kind = ChangeKind::kExpiry,
                          .timestamp = 0x6553f100,
                          .previous = 5,
                          .epk = "E",
                          .partition_key = "pk",
                          .id = "i"};
    EXPECT_EQ(to_hex_upper(removal.encode()),
              "04"
              "000000006553F100"
              "05"
              "0145"
              "02706B"
              "69");
    const Removal again = must(Removal::decode(removal.encode()));
    EXPECT_EQ(again.encode(), removal.encode());
}

TEST(ChangeLog, DamagedEntriesAreCorrupted) {
    for (const std::string& bytes : {std::string("\x00", 1),
                                     std::string("\x03"),
                                     std::string("\x01x"),
                                     std::string("\x02"),
                                     std::string("\x02\x01x")}) {
        EXPECT_FALSE(LogEntry::decode(bytes)) << to_hex_upper(bytes);
    }
    const std::string removal = Removal{.kind = ChangeKind::kDelete,
                                        .timestamp = 1,
                                        .previous = 1,
                                        .epk = "E",
                                        .partition_key = "p",
                                        .id = ""}
                                    .encode();
    for (std::size_t size = 0; size < removal.size(); ++size) {
        EXPECT_FALSE(Removal::decode(removal.substr(0, size))) << size;
    }
    EXPECT_FALSE(Removal::decode("\x01" + removal.substr(1)));
}

// The whole log in commit order, one line for each change: "lsn.ordinal kind id previous".
class ChangeLogTest : public testing::Test {
protected:
    std::vector<std::string> log() {
        std::map<LogPlace, std::string> changes;
        const storage::PartitionStore& store = bench_.store();
        const auto entries = store.scan(all_of('L'), storage::Direction::kForward);
        for (; entries->valid(); entries->next()) {
            const LogPlace place = must(place_of(entries->key()));
            const LogEntry entry = must(LogEntry::decode(entries->value()));
            std::string record;
            EXPECT_TRUE(must(store.get(item_key(place.docnum), record)));
            const ItemView view = must(ItemView::decode(place.docnum, record));
            changes[place] = line(place, entry.kind, view.id, entry.previous);
        }
        const auto removals = store.scan(all_of('V'), storage::Direction::kForward);
        for (; removals->valid(); removals->next()) {
            const LogPlace place = must(place_of(removals->key()));
            const Removal removal = must(Removal::decode(removals->value()));
            changes[place] = line(place, removal.kind, removal.id, removal.previous);
        }
        std::vector<std::string> out;
        for (const auto& [place, text] : changes)
            out.push_back(text);
        return out;
    }

    static std::string line(const LogPlace& place,
                            ChangeKind kind,
                            std::string_view id,
                            Lsn previous) {
        constexpr const char* kNames[] = {
            "unknown", "create", "replace", "delete", "expiry", "key"};
        std::string out = std::to_string(place.lsn) + "." + std::to_string(place.ordinal) + " " +
                          kNames[static_cast<int>(kind)];
        if (!id.empty()) out.append(" ").append(id);
        if (previous > 0) out.append(" ").append(std::to_string(previous));
        return out;
    }

    Status delete_key(const std::string& key) {
        return run(*bench_.partition, [&](ItemWriter& writer) -> Status {
            TRY(writer.delete_key(model::PartitionKeyValue{key}.encode(),
                                  bench_.container.epk({key})));
            return {};
        });
    }
    Status sweep_key(const std::string& key) {
        return run(*bench_.partition, [&](ItemWriter& writer) -> Status {
            TRY(writer.sweep_key(model::PartitionKeyValue{key}.encode(), 0, 1000));
            return {};
        });
    }

    using Lines = std::vector<std::string>;
    PartitionBench bench_{R"({"defaultTtl":-1})"};
};

TEST_F(ChangeLogTest, HasTheNewestChangeOfEveryItemAndEveryRemoval) {
    ASSERT_TRUE(bench_.create(item("1", "a")));
    ASSERT_TRUE(bench_.create(item("2", "a")));
    ASSERT_TRUE(bench_.upsert(item("1", "a", R"(,"n":1)")));
    EXPECT_EQ(log(), (Lines{"2.0 create 2", "3.0 replace 1 1"}));
    ASSERT_TRUE(bench_.remove({"a"}, "1"));
    EXPECT_EQ(log(), (Lines{"2.0 create 2", "4.0 delete 1 3"}));
    ASSERT_TRUE(bench_.create(item("1", "a")));
    EXPECT_EQ(log(), (Lines{"2.0 create 2", "4.0 delete 1 3", "5.0 create 1"}));
    bench_.reopen();
    EXPECT_EQ(log().size(), 3U);
    expect_sound(bench_.store());
}

TEST_F(ChangeLogTest, OrdersTheChangesOfATransaction) {
    ASSERT_TRUE(bench_.create(item("old", "a")));
    ASSERT_TRUE(bench_.create(item("older", "a")));
    ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        writer.begin_transaction();
        TRY(bench_.container.create(writer, item("z", "a")));
        TRY(bench_.container.remove(writer, {"a"}, "older"));
        TRY(bench_.container.create(writer, item("a", "a")));
        TRY(bench_.container.upsert(writer, item("old", "a")));
        TRY(bench_.container.upsert(writer, item("z", "a")));
        writer.end_transaction();
        return {};
    }));
    EXPECT_EQ(
        log(),
        (Lines{"3.1 delete older 2", "3.2 create a", "3.3 replace old 1", "3.4 replace z 3"}));
    expect_sound(bench_.store());
}

TEST_F(ChangeLogTest, AnExpiryIsAChangeOfItsOwn) {
    ASSERT_TRUE(bench_.create(item("1", "a", R"(,"ttl":10)")));
    ASSERT_TRUE(bench_.create(item("2", "a", R"(,"ttl":10)")));
    bench_.clock.advance(std::chrono::seconds(20));
    EXPECT_EQ(log(), (Lines{"1.0 create 1", "2.0 create 2"}));
    // Found by a write before the sweep, then by the sweep.
    ASSERT_TRUE(bench_.create(item("2", "a")));
    EXPECT_EQ(log(), (Lines{"1.0 create 1", "3.0 expiry 2 2", "4.0 create 2"}));
    SweepPosition position;
    const auto expired = must(find_expired(*bench_.partition, -1, 100, position));
    ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        for (const Docnum docnum : expired) {
            TRY(writer.remove_if_hidden(docnum, -1));
        }
        return {};
    }));
    EXPECT_EQ(log(), (Lines{"3.0 expiry 2 2", "4.0 create 2", "5.0 expiry 1 1"}));
    expect_sound(bench_.store());
}

TEST_F(ChangeLogTest, TheDeleteOfAPartitionKeyIsOneChange) {
    for (const char* id : {"1", "2", "3"})
        ASSERT_TRUE(bench_.create(item(id, "a")));
    ASSERT_TRUE(bench_.create(item("1", "b")));
    ASSERT_TRUE(delete_key("a"));
    const Lines after_delete = {
        "1.0 create 1", "2.0 create 2", "3.0 create 3", "4.0 create 1", "5.0 key"};
    EXPECT_EQ(log(), after_delete);
    // A write that finds a deleted item does not report it again.
    ASSERT_TRUE(bench_.create(item("2", "a")));
    ASSERT_TRUE(sweep_key("a"));
    EXPECT_EQ(log(), (Lines{"4.0 create 1", "5.0 key", "6.0 create 2"}));
    EXPECT_EQ(bench_.partition->lsn(), 6);
    expect_sound(bench_.store());
}

TEST_F(ChangeLogTest, KeepsALimitedNumberOfRemovals) {
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(bench_.create(item("1", "a")));
        ASSERT_TRUE(bench_.remove({"a"}, "1"));
    }
    EXPECT_EQ(log().size(), 5U);
    // Many changes later.
    const auto advance = [&](Lsn lsns) {
        bench_.partition->close();
        std::string bytes;
        ASSERT_TRUE(must(bench_.store().get(state_key(), bytes)));
        State state = must(State::decode(bytes));
        state.lsn += lsns;
        storage::WriteBatch batch;
        batch.put(state_key(), state.encode());
        ASSERT_TRUE(bench_.store().commit(batch));
        bench_.reopen();
    };
    advance(kRemovalsKeptLsns);
    for (const std::size_t kept : {4U, 3U, 3U, 4U}) {
        ASSERT_TRUE(bench_.create(item("1", "a")));
        ASSERT_TRUE(bench_.remove({"a"}, "1"));
        EXPECT_EQ(log().size(), kept);
    }
    // The oldest are gone, the newest are all there.
    const Lines lines = log();
    EXPECT_EQ(lines.back(), "10018.0 delete 1 10017");
    EXPECT_EQ(lines.size(), 4U);
    expect_sound(bench_.store());
}

// Entries of data directories of format 2 have no content; the next change of the item has.
TEST_F(ChangeLogTest, OldEntriesAreReplaced) {
    ASSERT_TRUE(bench_.create(item("1", "a")));
    ASSERT_TRUE(bench_.create(item("2", "a")));
    bench_.partition->close();
    downgrade(bench_.store());
    bench_.reopen();
    expect_sound(bench_.store());
    EXPECT_EQ(log(), (Lines{"1.0 unknown 1", "2.0 unknown 2"}));
    ASSERT_TRUE(bench_.upsert(item("1", "a")));
    EXPECT_EQ(log(), (Lines{"2.0 unknown 2", "3.0 replace 1 1"}));
    ASSERT_TRUE(bench_.remove({"a"}, "2"));
    EXPECT_EQ(log(), (Lines{"3.0 replace 1 1", "4.0 delete 2 2"}));
    expect_sound(bench_.store());
}

}  // namespace change_log_test
}  // namespace orrery::partition
