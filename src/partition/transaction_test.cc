#include "partition/transaction.h"

#include <gtest/gtest.h>

#include "partition/test_support.h"

namespace orrery::partition {
namespace transaction_test {

using testing_support::expect_sound;
using testing_support::item;
using testing_support::must;
using testing_support::PartitionBench;

class TransactionTest : public testing::Test {
protected:
    std::unique_ptr<Transaction> begin() {
        return must(Transaction::begin(bench_.partition, random_));
    }
    // Writes as a script would; returns the item's JSON as shown to the script.
    Result<std::string> upsert(Transaction& transaction, const std::string& json) {
        const auto shown = std::make_shared<std::string>();
        Status outcome = transaction.write([this, shown, json](ItemWriter& writer) -> Status {
            const WrittenItem written = TRY(bench_.container.upsert(writer, json));
            *shown = written.item.json();
            return {};
        });
        if (!outcome) return std::move(outcome).take_error();
        return *shown;
    }
    Status create(Transaction& transaction, const std::string& json) {
        return transaction.write([this, json](ItemWriter& writer) -> Status {
            TRY(bench_.container.create(writer, json));
            return {};
        });
    }
    Status remove(Transaction& transaction, const std::string& id) {
        return transaction.write([this, id](ItemWriter& writer) -> Status {
            TRY(bench_.container.remove(writer, key_, id));
            return {};
        });
    }
    std::optional<std::string> read(const std::string& id) { return bench_.read(key_, id); }

    PartitionBench bench_;
    SeededRandom random_{7};
    const model::PartitionKeyValue key_{"p"};
};

TEST_F(TransactionTest, InvisibleUntilCommitted) {
    const auto transaction = begin();
    const std::string shown = must(upsert(*transaction, item("a", "p", R"(,"n":1)")));
    EXPECT_EQ(read("a"), std::nullopt);
    EXPECT_EQ(transaction->written().size(), 1U);
    const Lsn lsn = must(transaction->commit());
    EXPECT_EQ(lsn, bench_.partition->lsn());
    // Number, etag and timestamp are those shown before.
    EXPECT_EQ(read("a"), shown);
    expect_sound(bench_.store());
}

TEST_F(TransactionTest, SeesItsOwnWrites) {
    const auto transaction = begin();
    ASSERT_TRUE(create(*transaction, item("a", "p", R"(,"n":1)")));
    EXPECT_EQ(create(*transaction, item("a", "p", R"(,"n":2)")).error().code(),
              ErrorCode::kConflict);
    ASSERT_TRUE(remove(*transaction, "a"));
    EXPECT_FALSE(transaction->written().begin()->second);
    ASSERT_TRUE(create(*transaction, item("a", "p", R"(,"n":3)")));
    must(transaction->commit());
    EXPECT_NE(read("a")->find(R"(,"n":3)"), std::string::npos);
    expect_sound(bench_.store());
}

TEST_F(TransactionTest, AllWritesShareOneLsn) {
    const auto transaction = begin();
    for (const char* id : {"a", "b", "c"}) {
        ASSERT_TRUE(create(*transaction, item(id, "p")));
    }
    EXPECT_EQ(must(transaction->commit()), 1);
    EXPECT_EQ(bench_.partition->lsn(), 1);
    EXPECT_EQ(bench_.partition->item_count(), 3U);
}

TEST_F(TransactionTest, SecondOfTwoConflictingCommitsFails) {
    ASSERT_TRUE(bench_.create(item("a", "p", R"(,"n":0)")));
    const auto first = begin();
    const auto second = begin();
    must(upsert(*first, item("a", "p", R"(,"n":1)")));
    must(upsert(*second, item("a", "p", R"(,"n":2)")));
    must(first->commit());
    EXPECT_EQ(second->commit().error().code(), ErrorCode::kConflict);
    EXPECT_NE(read("a")->find(R"(,"n":1)"), std::string::npos);
    expect_sound(bench_.store());
}

TEST_F(TransactionTest, ConcurrentNewItemIsAConflict) {
    const auto transaction = begin();
    ASSERT_TRUE(create(*transaction, item("a", "p")));
    ASSERT_TRUE(create(*transaction, item("b", "p")));
    ASSERT_TRUE(bench_.create(item("b", "p", R"(,"n":9)")));
    EXPECT_EQ(transaction->commit().error().code(), ErrorCode::kConflict);
    EXPECT_EQ(read("a"), std::nullopt) << "no partial commit";
    expect_sound(bench_.store());
}

TEST_F(TransactionTest, OtherItemsMayChange) {
    ASSERT_TRUE(bench_.create(item("a", "p")));
    ASSERT_TRUE(bench_.create(item("b", "p")));
    const auto transaction = begin();
    const std::string shown = must(upsert(*transaction, item("a", "p", R"(,"n":1)")));
    must(upsert(*transaction, item("new", "p")));
    ASSERT_TRUE(bench_.upsert(item("b", "p", R"(,"n":2)")));
    ASSERT_TRUE(bench_.create(item("c", "p")));
    must(transaction->commit());
    EXPECT_EQ(read("a"), shown);
    EXPECT_TRUE(read("new"));
    expect_sound(bench_.store());
}

TEST_F(TransactionTest, ReservedNumbersAreUnique) {
    const auto transaction = begin();
    must(upsert(*transaction, item("a", "p")));
    ASSERT_TRUE(bench_.create(item("b", "p")));
    for (int i = 0; i < 30; ++i) {
        must(upsert(*transaction, item("t" + std::to_string(i), "p")));
        ASSERT_TRUE(bench_.create(item("s" + std::to_string(i), "p")));
    }
    must(transaction->commit());
    EXPECT_EQ(bench_.partition->item_count(), 62U);
    expect_sound(bench_.store());
    bench_.reopen();
    ASSERT_TRUE(bench_.create(item("later", "p")));
    expect_sound(bench_.store());
}

TEST_F(TransactionTest, ReadingChangesNothing) {
    const auto transaction = begin();
    ASSERT_TRUE(transaction->read([&](ItemWriter& writer) -> Status {
        EXPECT_FALSE(must(writer.read(bench_.container.ref(key_, "a"), {})));
        return {};
    }));
    EXPECT_EQ(must(transaction->commit()), 0);
    EXPECT_EQ(bench_.partition->lsn(), 0);
}

TEST_F(TransactionTest, HasALimit) {
    const auto transaction = begin();
    const std::string large(1'900'000, 'x');
    Status outcome;
    for (int i = 0; i < 60 && outcome; ++i) {
        outcome = create(*transaction, item(std::to_string(i), "p", R"(,"s":")" + large + R"(")"));
    }
    EXPECT_EQ(outcome.error().code(), ErrorCode::kTooLarge);
}

}  // namespace transaction_test
}  // namespace orrery::partition
