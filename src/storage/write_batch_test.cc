#include "storage/write_batch.h"

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace orrery::storage {
namespace write_batch_test {

using Kind = WriteBatch::Kind;
using namespace std::string_literals;

// Applies the batch in order, as an engine does.
std::map<std::string, std::string> applied(const WriteBatch& batch) {
    std::map<std::string, std::string> state;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const WriteBatch::Operation operation = batch.operation(i);
        if (operation.kind == Kind::kPut) {
            state[std::string(operation.key)] = operation.value;
        } else {
            state.erase(std::string(operation.key));
        }
    }
    return state;
}

TEST(WriteBatch, KeepsOperationsInOrder) {
    WriteBatch batch;
    EXPECT_TRUE(batch.empty());
    batch.put("b", "2");
    batch.remove("a");
    batch.put("b", "3");
    ASSERT_EQ(batch.size(), 3U);
    EXPECT_EQ(batch.operation(0).key, "b");
    EXPECT_EQ(batch.operation(0).value, "2");
    EXPECT_EQ(batch.operation(1).kind, Kind::kRemove);
    EXPECT_EQ(batch.operation(1).key, "a");
    EXPECT_EQ(batch.operation(2).value, "3");
    EXPECT_EQ(batch.byte_size(), 5U);
}

TEST(WriteBatch, KeepsZeroBytesAndEmptyStrings) {
    WriteBatch batch;
    batch.put("", "");
    batch.put("\0k"s, "v\0"s);
    EXPECT_EQ(batch.operation(0).key, "");
    EXPECT_EQ(batch.operation(0).value, "");
    EXPECT_EQ(batch.operation(1).key, "\0k"s);
    EXPECT_EQ(batch.operation(1).value, "v\0"s);
    ASSERT_TRUE(batch.last_operation_on(""));
    EXPECT_EQ(batch.last_operation_on("")->kind, Kind::kPut);
}

TEST(WriteBatch, FindsTheLastOperationOnAKey) {
    WriteBatch batch;
    EXPECT_FALSE(batch.last_operation_on("a"));
    batch.put("a", "1");
    EXPECT_EQ(batch.last_operation_on("a")->value, "1");
    batch.remove("a");
    EXPECT_EQ(batch.last_operation_on("a")->kind, Kind::kRemove);
    batch.put("a", "2");
    EXPECT_EQ(batch.last_operation_on("a")->value, "2");
    EXPECT_FALSE(batch.last_operation_on("ab"));
}

TEST(WriteBatch, RollbackRestoresEarlierOperations) {
    WriteBatch batch;
    batch.put("a", "1");
    const WriteBatch::Savepoint savepoint = batch.savepoint();
    batch.put("a", "2");
    batch.remove("a");
    batch.put("b", "new");
    batch.rollback_to(savepoint);
    EXPECT_EQ(batch.size(), 1U);
    EXPECT_EQ(batch.byte_size(), 2U);
    EXPECT_EQ(batch.last_operation_on("a")->value, "1");
    EXPECT_FALSE(batch.last_operation_on("b"));
    batch.put("b", "again");
    EXPECT_EQ(applied(batch), (std::map<std::string, std::string>{{"a", "1"}, {"b", "again"}}));
}

TEST(WriteBatch, RollbackToTheStartEmptiesIt) {
    WriteBatch batch;
    batch.put("a", "1");
    batch.remove("b");
    batch.rollback_to(0);
    EXPECT_TRUE(batch.empty());
    EXPECT_FALSE(batch.last_operation_on("a"));
    EXPECT_FALSE(batch.last_operation_on("b"));
}

TEST(WriteBatch, RollbackToNowChangesNothing) {
    WriteBatch batch;
    batch.put("a", "1");
    batch.rollback_to(batch.savepoint());
    EXPECT_EQ(batch.last_operation_on("a")->value, "1");
}

TEST(WriteBatch, ClearRemovesEverything) {
    WriteBatch batch;
    batch.put("a", "1");
    batch.clear();
    EXPECT_TRUE(batch.empty());
    EXPECT_EQ(batch.byte_size(), 0U);
    EXPECT_FALSE(batch.last_operation_on("a"));
    batch.put("a", "2");
    EXPECT_EQ(batch.last_operation_on("a")->value, "2");
}

TEST(WriteBatchDeathTest, RollbackToALaterSavepointIsABug) {
    WriteBatch batch;
    batch.put("a", "1");
    EXPECT_DEATH(batch.rollback_to(2), "check_failed");
}

// Random puts, removes and nested rollbacks against a list of copies.
TEST(WriteBatch, AgreesWithAModelUnderRandomUse) {
    constexpr unsigned kSeed = 7;
    std::mt19937 random(kSeed);
    WriteBatch batch;
    std::vector<std::pair<WriteBatch::Savepoint, std::map<std::string, std::string>>> saved;
    for (int step = 0; step < 2000; ++step) {
        const std::string key(1, static_cast<char>('a' + random() % 5));
        switch (random() % 8) {
            case 0:
                saved.emplace_back(batch.savepoint(), applied(batch));
                break;
            case 1:
                if (saved.empty()) break;
                batch.rollback_to(saved.back().first);
                ASSERT_EQ(applied(batch), saved.back().second) << "step " << step;
                saved.pop_back();
                break;
            case 2:
            case 3:
                batch.remove(key);
                break;
            default:
                batch.put(key, std::to_string(step));
        }
        const auto state = applied(batch);
        const auto last = batch.last_operation_on(key);
        const auto found = state.find(key);
        if (found != state.end()) {
            ASSERT_TRUE(last && last->kind == Kind::kPut) << "step " << step;
            ASSERT_EQ(last->value, found->second) << "step " << step;
        } else {
            ASSERT_TRUE(!last || last->kind == Kind::kRemove) << "step " << step;
        }
    }
}

}  // namespace write_batch_test
}  // namespace orrery::storage
