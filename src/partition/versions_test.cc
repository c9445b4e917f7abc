// All versions and removals: what is kept, read, moved and forgotten.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "partition/changes.h"
#include "partition/expiry.h"
#include "partition/key_delete_tasks.h"
#include "partition/test_support.h"
#include "partition/transfer.h"
#include "partition/version_tasks.h"

namespace orrery::partition {
namespace versions_test {

using testing_support::expect_sound;
using testing_support::item;
using testing_support::kStartSecond;
using testing_support::must;
using testing_support::PartitionBench;
using testing_support::run;

using Lines = std::vector<std::string>;

// "replace 1@3 after 2 with previous"
std::string described(const Change& change) {
    std::string out;
    switch (change.kind) {
        case ChangeKind::kCreate:
            out = "create ";
            break;
        case ChangeKind::kReplace:
            out = "replace ";
            break;
        case ChangeKind::kDelete:
            out = "delete ";
            break;
        case ChangeKind::kExpiry:
            out = "expiry ";
            break;
        default:
            out = "unknown ";
    }
    out += change.item ? change.item->id : change.removal->id;
    out += "@" + std::to_string(change.place.lsn);
    if (change.previous_lsn > 0) out += " after " + std::to_string(change.previous_lsn);
    if (change.previous && change.previous->header.lsn == change.previous_lsn)
        out += " with previous";
    return out;
}

Result<Lines> versions_of(const Partition& partition, Lsn after, FeedScope scope = {}) {
    Lines lines;
    const ChangesPage page =
        TRY(read_changes(partition,
                         {.scope = std::move(scope),
                          .after = after,
                          .since = std::nullopt,
                          .all_versions = true,
                          .items_max = 1000,
                          .bytes_max = 1'000'000,
                          .default_ttl = std::nullopt},
                         [&](const Change& change, std::string& /*out*/) -> Result<std::size_t> {
                             lines.push_back(described(change));
                             return std::size_t{1};
                         }));
    EXPECT_EQ(page.count, lines.size());
    EXPECT_EQ(page.until, page.lsn);
    return lines;
}

class Versions : public testing::Test {
protected:
    void SetUp() override { bench_.partition->keep_versions(true); }

    void create(const std::string& id, const std::string& key = "a", const std::string& more = "") {
        ASSERT_TRUE(bench_.create(item(id, key, more)));
    }
    void upsert(const std::string& id, const std::string& key = "a") {
        ASSERT_TRUE(bench_.upsert(item(id, key)));
    }
    void remove(const std::string& id) { ASSERT_TRUE(bench_.remove({"a"}, id)); }
    void delete_key(const std::string& name) {
        const model::PartitionKeyValue key{name};
        ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
            TRY(writer.delete_key(key.encode(), bench_.container.epk(key)));
            return {};
        }));
    }
    // Removes what a delete of a partition key hides.
    static void sweep(Partition& partition) {
        KeySweepPosition position;
        while (const KeyDeletesPtr deletes = partition.deletes()) {
            ASSERT_TRUE(wait_for<bool>([&](auto done) {
                partition.submit(
                    make_key_sweep_task(deletes->all().begin()->first, position, std::move(done)));
            }));
        }
    }
    bool trim(std::optional<std::int64_t> before) {
        return wait_for<bool>(
            [&](auto done) { bench_.partition->submit(make_trim_task(before, std::move(done))); });
    }
    Lines read(Lsn after = 0) { return must(versions_of(*bench_.partition, after)); }
    std::size_t count(char letter) {
        std::size_t found = 0;
        const auto cursor = bench_.store().scan(all_of(letter), storage::Direction::kForward);
        for (; cursor->valid(); cursor->next())
            ++found;
        return found;
    }

    PartitionBench bench_{R"({"defaultTtl":-1})"};
};

TEST_F(Versions, AreAllThere) {
    create("1");
    upsert("1");
    create("2");
    remove("1");
    create("1");
    EXPECT_EQ(read(),
              (Lines{"create 1@1",
                     "replace 1@2 after 1 with previous",
                     "create 2@3",
                     "delete 1@4 after 2 with previous",
                     "create 1@5"}));
    EXPECT_EQ(read(3), (Lines{"delete 1@4 after 2 with previous", "create 1@5"}));
    EXPECT_EQ(
        must(versions_of(*bench_.partition,
                         0,
                         {.partition_key = bench_.container.ref({"b"}, ""), .epks = std::nullopt})),
        Lines());
    expect_sound(bench_.store());
    bench_.reopen();
    bench_.partition->keep_versions(true);
    upsert("2");
    EXPECT_EQ(read(4), (Lines{"create 1@5", "replace 2@6 after 3 with previous"}));
}

TEST_F(Versions, OfOneTransactionFollowEachOther) {
    ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        writer.begin_transaction();
        TRY(bench_.container.create(writer, item("1", "a")));
        TRY(bench_.container.upsert(writer, item("1", "a")));
        TRY(bench_.container.remove(writer, {"a"}, "1"));
        writer.end_transaction();
        return {};
    }));
    EXPECT_EQ(read(),
              (Lines{"create 1@1",
                     "replace 1@1 after 1 with previous",
                     "delete 1@1 after 1 with previous"}));
}

TEST_F(Versions, OfExpiredItemsAndDeletedKeys) {
    create("1", "a", R"(,"ttl":5)");
    create("2", "b");
    create("3", "b");
    delete_key("b");
    EXPECT_EQ(read(), (Lines{"create 1@1", "create 2@2", "create 3@3"}))
        << "not deleted before they are removed";
    sweep(*bench_.partition);
    bench_.clock.advance(std::chrono::seconds(5));
    ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        const Docnum first = Docnum{testing_support::identity().range_id} << 40 | 1;
        EXPECT_TRUE(must(writer.remove_if_hidden(first, -1)));
        return {};
    }));
    EXPECT_EQ(read(4),
              (Lines{"delete 2@5 after 2 with previous",
                     "delete 3@6 after 3 with previous",
                     "expiry 1@7 after 1 with previous"}));
    expect_sound(bench_.store());
}

TEST_F(Versions, AreForgottenWithTime) {
    create("1");
    upsert("1");
    remove("1");
    bench_.clock.advance(std::chrono::seconds(100));
    create("2");
    upsert("2");
    EXPECT_FALSE(must(has_old_versions(*bench_.partition, kStartSecond)));
    EXPECT_FALSE(trim(kStartSecond));
    EXPECT_EQ(read().size(), 5U);
    EXPECT_TRUE(must(has_old_versions(*bench_.partition, kStartSecond + 50)));
    EXPECT_FALSE(trim(kStartSecond + 50)) << "nothing is left";
    EXPECT_FALSE(must(has_old_versions(*bench_.partition, kStartSecond + 50)));
    const auto refused = versions_of(*bench_.partition, 2);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kBadRequest);
    EXPECT_EQ(read(3), (Lines{"create 2@4", "replace 2@5 after 4 with previous"}));
    expect_sound(bench_.store());
    bench_.reopen();
    EXPECT_FALSE(versions_of(*bench_.partition, 2));
    EXPECT_EQ(read(3).size(), 2U);
}

TEST_F(Versions, AreTrimmedInSteps) {
    create("1");
    for (int i = 0; i < 500; ++i)
        upsert("1");
    EXPECT_EQ(count('H'), 500U);
    int steps = 1;
    while (trim(std::nullopt))
        ++steps;
    EXPECT_EQ(steps, 3);
    EXPECT_EQ(count('H'), 0U);
    EXPECT_EQ(read(500), (Lines{"replace 1@501 after 500"}));
}

TEST_F(Versions, AreNotKeptWithoutAPolicy) {
    create("1");
    upsert("1");
    bench_.partition->keep_versions(false);
    upsert("1");
    remove("1");
    EXPECT_EQ(count('H'), 1U);
    EXPECT_FALSE(versions_of(*bench_.partition, 0));
    bench_.partition->keep_versions(true);
    EXPECT_FALSE(versions_of(*bench_.partition, 3)) << "there is a gap";
    EXPECT_EQ(read(4), Lines());
    create("2");
    upsert("2");
    EXPECT_FALSE(versions_of(*bench_.partition, 3));
    EXPECT_EQ(read(4), (Lines{"create 2@5", "replace 2@6 after 5 with previous"}));
    bench_.reopen();
    EXPECT_TRUE(bench_.partition->has_versions());
    EXPECT_FALSE(bench_.partition->keeps_versions());
    expect_sound(bench_.store());
}

TEST_F(Versions, MoveToOtherPartitions) {
    const Identity other{.container = {.database = 1, .number = 1}, .range_id = 4, .storage_id = 8};
    const auto target = must(Partition::open(other,
                                             must(bench_.engine.open(other.storage_id)),
                                             {.executors = bench_.executors, .clock = bench_.clock},
                                             bench_.container.policy()));
    target->keep_versions(true);
    const auto always = [] { return true; };
    create("1");
    upsert("1");
    create("2", "b");
    create("3", "b");
    Transfer transfer(
        bench_.partition,
        {{.partition = target,
          .epks = {.min_inclusive = "", .max_exclusive = std::string(model::kEpkEnd)}}});
    must(transfer.catch_up(always));
    upsert("1");  // what was copied as the newest version is so no longer
    upsert("1");
    remove("1");
    delete_key("b");
    create("4", "b");
    must(transfer.catch_up(always));
    upsert("4", "b");
    bench_.partition->close();
    must(transfer.catch_up(always));
    ASSERT_TRUE(transfer.seal());
    EXPECT_EQ(must(versions_of(*target, 0)),
              (Lines{"create 1@1",
                     "replace 1@2 after 1 with previous",
                     "create 2@3",
                     "create 3@4",
                     "replace 1@5 after 2 with previous",
                     "replace 1@6 after 5 with previous",
                     "delete 1@7 after 6 with previous",
                     "create 4@9",
                     "replace 4@10 after 9 with previous"}));
    // The target goes on with the delete of the partition key.
    EXPECT_FALSE(must(target->read(bench_.container.ref({"b"}, "2"), std::nullopt)));
    EXPECT_TRUE(must(target->read(bench_.container.ref({"b"}, "4"), std::nullopt)));
    sweep(*target);
    EXPECT_EQ(must(versions_of(*target, 10)),
              (Lines{"delete 2@11 after 3 with previous", "delete 3@12 after 4 with previous"}));
    EXPECT_TRUE(must(target->read(bench_.container.ref({"b"}, "4"), std::nullopt)));
    expect_sound(target->store());
}

TEST_F(Versions, DamageIsFound) {
    create("1");
    upsert("1");
    storage::WriteBatch batch;
    batch.put(version_key({.lsn = 1, .ordinal = 0, .docnum = 5}), "\x01\x01nonsense");
    ASSERT_TRUE(wait_for<Status>([&](std::function<void(Status)> done) {
        bench_.store().start_commit(batch, std::move(done));
    }));
    EXPECT_EQ(must(verify(bench_.store())).problems.size(), 1U);
}

}  // namespace versions_test
}  // namespace orrery::partition
