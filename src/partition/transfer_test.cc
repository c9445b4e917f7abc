// Copies of a partition that is being written to, compared with the partition itself.

#include "partition/transfer.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "partition/split_point.h"
#include "partition/test_support.h"

namespace orrery::partition {
namespace transfer_test {

using testing_support::expect_sound;
using testing_support::must;
using testing_support::PartitionBench;
using testing_support::run;

std::string item(int key, int id, const std::string& more = "") {
    return R"({"id":"item )" + std::to_string(id) + R"(","pk":"key )" + std::to_string(key) + "\"" +
           more + "}";
}

// All items by number.
std::map<Docnum, std::string> items_of(const Partition& partition) {
    std::map<Docnum, std::string> out;
    const auto cursor = partition.store().scan(all_of('D'), storage::Direction::kForward);
    for (; cursor->valid(); cursor->next()) {
        const Docnum docnum = must(docnum_of_key(cursor->key()));
        const ItemView view = must(ItemView::decode(docnum, cursor->value()));
        if (const auto deletes = partition.deletes()) {
            if (deletes->hides(view.partition_key, view.header)) continue;
        }
        out[docnum] = std::string(cursor->value());
    }
    return out;
}

class TransferTest : public testing::Test {
protected:
    TransferTest() {
        const std::string middle = bench_.container.epk({"key 3"});
        add_target(10, 20, {"", middle});
        add_target(11, 21, {middle, std::string(model::kEpkEnd)});
    }
    void TearDown() override {
        for (const auto& target : targets_)
            target.partition->close();
    }

    void add_target(std::uint32_t range_id, storage::PartitionId id, model::EpkRange epks) {
        targets_.push_back({.partition = must(Partition::open(
                                {.container = bench_.partition->identity().container,
                                 .range_id = range_id,
                                 .storage_id = id},
                                must(bench_.engine.open(id)),
                                {.executors = bench_.executors, .clock = bench_.clock},
                                bench_.container.policy())),
                            .epks = std::move(epks)});
    }

    void expect_complete() {
        std::map<Docnum, std::string> copied;
        for (const auto& target : targets_) {
            copied.merge(items_of(*target.partition));
            expect_sound(target.partition->store());
            EXPECT_EQ(target.partition->lsn(), bench_.partition->lsn());
        }
        EXPECT_EQ(copied, items_of(*bench_.partition));
    }

    Status delete_key(int key) {
        const model::PartitionKeyValue value{"key " + std::to_string(key)};
        return run(*bench_.partition, [&](ItemWriter& writer) -> Status {
            TRY(writer.delete_key(value.encode(), bench_.container.epk(value)));
            return {};
        });
    }

    static bool always() { return true; }

    PartitionBench bench_{R"({"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}})"};
    std::vector<Transfer::Target> targets_;
};

TEST_F(TransferTest, CopiesNothing) {
    Transfer transfer(bench_.partition, targets_);
    EXPECT_EQ(must(transfer.catch_up(always)), 0U);
    ASSERT_TRUE(transfer.seal());
    expect_complete();
}

TEST_F(TransferTest, FollowsRandomChanges) {
    std::mt19937 random(7);
    const auto below = [&](int limit) {
        return std::uniform_int_distribution<int>(0, limit - 1)(random);
    };
    Transfer transfer(bench_.partition, targets_);
    for (int round = 0; round < 6; ++round) {
        for (int i = 0; i < 60; ++i) {
            const int key = below(6);
            const int id = below(12);
            const int what = below(20);
            if (what == 0) {
                ASSERT_TRUE(delete_key(key));
            } else if (what < 6) {
                static_cast<void>(
                    bench_.remove({"key " + std::to_string(key)}, "item " + std::to_string(id)));
            } else {
                // Few unique values, so that items take them over from each other.
                static_cast<void>(
                    bench_.upsert(item(key, id, R"(,"ttl":1000,"u":)" + std::to_string(below(8)))));
            }
        }
        must(transfer.catch_up(always));
    }
    EXPECT_EQ(must(transfer.catch_up(always)), 0U);
    ASSERT_TRUE(transfer.seal());
    expect_complete();
}

TEST_F(TransferTest, KeepsTheLogOfRemovals) {
    ASSERT_TRUE(bench_.create(item(0, 0)));
    Transfer transfer(bench_.partition, targets_);
    must(transfer.catch_up(always));
    ASSERT_TRUE(bench_.remove({"key 0"}, "item 0"));
    // Enough to forget the removal, if nobody needed it.
    ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
        for (int i = 0; i < kRemovalsKeptLsns + 100; ++i) {
            TRY(bench_.container.create(writer, item(1, 1)));
            TRY(bench_.container.remove(writer, {"key 1"}, "item 1"));
        }
        return {};
    }));
    ASSERT_TRUE(bench_.create(item(2, 2)));
    ASSERT_TRUE(bench_.remove({"key 2"}, "item 2"));
    must(transfer.catch_up(always));
    ASSERT_TRUE(transfer.seal());
    expect_complete();
}

TEST_F(TransferTest, CanBeStopped) {
    ASSERT_TRUE(bench_.create(item(0, 0)));
    Transfer transfer(bench_.partition, targets_);
    EXPECT_FALSE(transfer.catch_up([] { return false; }));
    must(transfer.catch_up(always));
    ASSERT_TRUE(transfer.seal());
    expect_complete();
}

TEST_F(TransferTest, NewItemsHaveNumbersOfTheirOwn) {
    ASSERT_TRUE(bench_.create(item(0, 0)));
    Transfer transfer(bench_.partition, targets_);
    must(transfer.catch_up(always));
    ASSERT_TRUE(transfer.seal());
    const auto& target =
        targets_[targets_[0].epks.contains(bench_.container.epk({"key 0"})) ? 0 : 1];
    ASSERT_TRUE(run(*target.partition, [&](ItemWriter& writer) -> Status {
        TRY(bench_.container.create(writer, item(0, 1, R"(,"u":1)")));
        return {};
    }));
    EXPECT_EQ(items_of(*target.partition).size(), 2U);
    EXPECT_EQ(target.partition->lsn(), bench_.partition->lsn() + 1);
}

TEST_F(TransferTest, SplitPointHalvesTheBytes) {
    EXPECT_FALSE(must(split_point(*bench_.partition)));
    ASSERT_TRUE(bench_.create(item(0, 0)));
    EXPECT_FALSE(must(split_point(*bench_.partition))) << "one key";
    for (int i = 1; i < 400; ++i)
        ASSERT_TRUE(bench_.create(item(i, i, R"(,"u":)" + std::to_string(i))));
    const std::string middle = must(split_point(*bench_.partition)).value();
    std::size_t low = 0;
    std::size_t all = 0;
    for (const auto& [docnum, record] : items_of(*bench_.partition)) {
        const ItemView view = must(ItemView::decode(docnum, record));
        all += view.json.size();
        if (view.epk < middle) low += view.json.size();
    }
    EXPECT_NEAR(static_cast<double>(low) / static_cast<double>(all), 0.5, 0.02);
}

TEST_F(TransferTest, ALargeKeyStaysAlone) {
    for (int i = 0; i < 100; ++i)
        ASSERT_TRUE(bench_.create(item(0, i, R"(,"u":)" + std::to_string(i))));
    ASSERT_TRUE(bench_.create(item(1, 0)));
    const std::string large = bench_.container.epk({"key 0"});
    const std::string small = bench_.container.epk({"key 1"});
    EXPECT_EQ(must(split_point(*bench_.partition)).value(), std::max(large, small));
}

// Attachments by item: the list, and the bytes of each.
std::map<std::string, std::string> attachments_of(const Partition& partition) {
    std::map<std::string, std::string> out;
    for (const char letter : {'A', 'J', 'Q', 'Y'}) {
        const auto cursor = partition.store().scan(all_of(letter), storage::Direction::kForward);
        for (; cursor->valid(); cursor->next())
            out.emplace(cursor->key(), cursor->value());
    }
    return out;
}

// Removes the attachment, or writes it with media (of that size) or with a link to it.
Status change_attachment(ItemWriter& writer, const ItemRef& owner, int what, std::size_t size) {
    const AttachmentRef ref{.id = std::to_string(what % 4)};
    if (what < 12) {
        TRY(writer.remove_attachment(owner, ref, {}));
        return {};
    }
    const auto body =
        what < 48 ? TRY(model::media_attachment(ref.id, "text/plain", std::string(size, 'x')))
                  : TRY(model::parse_attachment_body(
                        R"({"id":")" + ref.id + R"(","contentType":"text/plain","media":"x"})"));
    TRY(writer.upsert_attachment(owner, body, {}));
    return {};
}

TEST_F(TransferTest, FollowsAttachments) {
    std::mt19937 random(11);
    const auto below = [&](int limit) {
        return std::uniform_int_distribution<int>(0, limit - 1)(random);
    };
    Transfer transfer(bench_.partition, targets_);
    for (int i = 1; i <= 600; ++i) {
        const model::PartitionKeyValue key{"key " + std::to_string(below(6))};
        const ItemRef owner = bench_.container.ref(key, "item " + std::to_string(below(4)));
        const int what = below(80);
        const auto size = static_cast<std::size_t>(below(2000));
        if (below(150) == 0) {
            ASSERT_TRUE(delete_key(below(6)));
        } else if (below(25) == 0) {
            static_cast<void>(bench_.remove(key, owner.id));
        } else if (below(3) == 0) {
            static_cast<void>(bench_.upsert(item(below(6), below(4))));
        } else {
            static_cast<void>(run(*bench_.partition, [&](ItemWriter& writer) {
                return change_attachment(writer, owner, what, size);
            }));
        }
        if (i % 120 == 0) must(transfer.catch_up(always));
    }
    EXPECT_EQ(must(transfer.catch_up(always)), 0U);
    ASSERT_TRUE(transfer.seal());
    std::map<std::string, std::string> copied;
    for (const auto& target : targets_)
        copied.merge(attachments_of(*target.partition));
    // Without those of items that are hidden and not removed yet.
    std::map<std::string, std::string> wanted;
    const auto live = items_of(*bench_.partition);
    for (const auto& [key, value] : attachments_of(*bench_.partition)) {
        const Docnum owner =
            ByteReader(key.front() == 'Y' ? key.substr(9) : key.substr(1)).big_endian<Docnum>();
        if (live.contains(owner)) wanted.emplace(key, value);
    }
    EXPECT_GT(wanted.size(), 20U);
    EXPECT_EQ(copied, wanted);
    expect_complete();
}

}  // namespace transfer_test
}  // namespace orrery::partition
