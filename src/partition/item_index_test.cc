#include "partition/item_index.h"

#include <gtest/gtest.h>

#include "index/path_tree.h"
#include "partition/test_support.h"
#include "storage/engine_test_support.h"

namespace orrery::partition {
namespace item_index_test {

using storage::testing_support::keys;
using storage::testing_support::value_of;
using testing_support::ContainerUnderTest;
using testing_support::expect_sound;
using testing_support::identity;
using testing_support::item;
using testing_support::kStartSecond;
using testing_support::must;

std::size_t count_of(const storage::Reader& store, char letter) {
    return storage::testing_support::entries(store, all_of(letter), storage::Direction::kForward)
        .size();
}

// Writers over one store and one index; each is a batch, committed or not.
class ItemIndexTest : public testing::Test {
protected:
    void open() { index_ = must(ItemIndex::open(*store_, container_.policy(), nullptr)); }
    void SetUp() override { open(); }

    ItemWriter writer() { return ItemWriter(identity_, state_, *store_, *index_, kStartSecond); }
    void commit(ItemWriter& writer) {
        ASSERT_TRUE(store_->commit(writer.finish()));
        index_->committed();
        state_ = writer.state();
        expect_sound(*store_);
    }
    void create(const std::string& id, const std::string& rest) {
        ItemWriter one = writer();
        must(container_.create(one, item(id, "p", rest)));
        commit(one);
    }
    void adopt(std::string_view members) {
        container_ = ContainerUnderTest(members);
        ItemWriter one = writer();
        ASSERT_TRUE(one.adopt_policy(container_.policy()));
        commit(one);
    }
    void advance() {
        ItemWriter one = writer();
        ASSERT_TRUE(one.advance_index());
        commit(one);
    }
    // Runs steps until no work is left; returns their number.
    int advance_to_the_end() {
        int steps = 0;
        for (; index_->view()->work_left; ++steps) {
            advance();
            EXPECT_LT(steps, 1000);
        }
        return steps;
    }

    const Identity identity_ = identity();
    storage::MemoryEngine engine_;
    std::shared_ptr<storage::PartitionStore> store_ = must(engine_.open(7));
    State state_;
    ContainerUnderTest container_;
    std::unique_ptr<ItemIndex> index_;
};

constexpr const char* kOnlyN =
    R"({"indexingPolicy":{"includedPaths":[{"path":"/n/?"}],"excludedPaths":[{"path":"/*"}]}})";
constexpr const char* kOnlyS =
    R"({"indexingPolicy":{"includedPaths":[{"path":"/s/?"}],"excludedPaths":[{"path":"/*"}]}})";

TEST_F(ItemIndexTest, OverwriteWritesTheDifference) {
    create("1", R"(,"a":1,"b":2,"c":[1,2,3])");
    ItemWriter one = writer();
    must(container_.upsert(one, item("1", "p", R"(,"a":1,"b":3,"c":[1,2,3])")));
    const storage::WriteBatch& batch = one.finish();
    std::size_t index_keys = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        if (batch.operation(i).key[0] == 'I') ++index_keys;
    }
    EXPECT_EQ(index_keys, 2U);  // b=2 is removed, b=3 added; the clock does not advance
    commit(one);
}

TEST_F(ItemIndexTest, KeysOfABatchAreSorted) {
    ItemWriter many = writer();
    for (int i = 0; i < 50; ++i) {
        must(container_.create(
            many,
            item(std::to_string(i * 7919 % 100), "p", R"(,"n":)" + std::to_string(i * 31 % 17))));
    }
    const storage::WriteBatch& batch = many.finish();
    std::string last;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const std::string key(batch.operation(i).key);
        if (key[0] != 'I' && key[0] != 'S') continue;
        EXPECT_LT(last, key);
        last = key;
    }
    EXPECT_EQ(last[0], 'S');
    commit(many);
}

TEST_F(ItemIndexTest, RepeatedKeyInABatchCountsOnce) {
    ItemWriter one = writer();
    must(container_.create(one, item("1", "p", R"(,"n":1)")));
    must(container_.upsert(one, item("1", "p", R"(,"n":2)")));
    must(container_.upsert(one, item("1", "p", R"(,"n":1)")));
    must(container_.create(one, item("2", "p", R"(,"n":1)")));
    must(container_.remove(one, {"p"}, "2"));
    commit(one);
    EXPECT_EQ(count_of(*store_, 'S'), 1U);
}

TEST_F(ItemIndexTest, RolledBackWriteLeavesNoNames) {
    create("1", R"(,"a":1)");
    const std::string names = keys(*store_, all_of('N'));
    ItemWriter one = writer();
    const ItemWriter::Savepoint before = one.savepoint();
    must(container_.create(one, item("2", "p", R"(,"new":1,"other":[2])")));
    one.rollback_to(before);
    must(container_.create(one, item("3", "p", R"(,"third":1)")));
    commit(one);
    EXPECT_EQ(count_of(*store_, 'N'), 7U);  // id pk a _ts third, and two shapes
    EXPECT_EQ(keys(*store_, all_of('N')).find("new"), std::string::npos);
    open();
    create("2", R"(,"new":1)");
}

TEST_F(ItemIndexTest, FailedCommitLeavesNoNames) {
    create("1", R"(,"a":1)");
    for (int round = 0; round < 3; ++round) {
        ItemWriter lost = writer();
        must(container_.create(lost, item("2", "p", R"(,"x":1,"y":{"z":2})")));
        lost.finish();
    }
    create("2", R"(,"y":{"z":2})");
    create("3", R"(,"x":1)");
    open();
    create("4", R"(,"x":1,"y":1)");
}

TEST_F(ItemIndexTest, BuildsAnotherPolicyInSteps) {
    for (int i = 0; i < 200; ++i) {
        create(std::to_string(i), R"(,"n":1,"s":"x","t":[1,2])");
    }
    const std::size_t before = count_of(*store_, 'I');
    adopt(kOnlyN);
    EXPECT_FALSE(index_->view()->is_built());
    EXPECT_EQ(index_->view()->items_to_build, 200U);
    advance();
    const auto view = index_->view();
    EXPECT_GT(view->items_built, 0U);
    EXPECT_LT(view->items_built, 200U);
    // Below and above the build position, and new items.
    for (const char* id : {"0", "199"}) {
        ItemWriter one = writer();
        must(container_.upsert(one, item(id, "p", R"(,"n":2)")));
        commit(one);
    }
    ItemWriter gone = writer();
    must(container_.remove(gone, {"p"}, "1"));
    must(container_.remove(gone, {"p"}, "198"));
    commit(gone);
    create("new", R"(,"n":3,"s":"y")");
    open();
    EXPECT_EQ(index_->view()->items_built, view->items_built);
    EXPECT_GT(advance_to_the_end(), 2);
    EXPECT_TRUE(index_->view()->is_built());
    EXPECT_EQ(index_->view()->active->text(), container_.policy()->text());
    EXPECT_LT(count_of(*store_, 'I'), before);
    EXPECT_EQ(count_of(*store_, 'S'), 199U);
    EXPECT_EQ(value_of(*store_, index_position_key()), std::nullopt);
}

TEST_F(ItemIndexTest, StepSeesItsOwnBatch) {
    for (int i = 0; i < 5; ++i) {
        create(std::to_string(i), R"(,"n":1)");
    }
    adopt(kOnlyN);
    ItemWriter all = writer();
    must(container_.upsert(all, item("1", "p", R"(,"n":2)")));
    must(container_.remove(all, {"p"}, "2"));
    must(container_.create(all, item("new", "p", R"(,"n":4)")));
    ASSERT_TRUE(all.advance_index());
    must(container_.upsert(all, item("3", "p", R"(,"n":7)")));
    must(container_.remove(all, {"p"}, "4"));
    commit(all);
    EXPECT_TRUE(index_->view()->is_built());
    advance_to_the_end();
    EXPECT_EQ(count_of(*store_, 'S'), 4U);
}

TEST_F(ItemIndexTest, PolicyMayChangeDuringABuild) {
    for (int i = 0; i < 100; ++i) {
        create(std::to_string(i), R"(,"n":1,"s":2)");
    }
    const std::string first = index_->view()->active->text();
    adopt(kOnlyN);
    advance();
    adopt(kOnlyS);
    EXPECT_EQ(index_->view()->active->text(), first);
    advance();
    adopt("{}");  // back to the active one
    EXPECT_TRUE(index_->view()->is_built());
    create("x", R"(,"s":1)");
    advance_to_the_end();
    EXPECT_EQ(index_->view()->active->text(), first);
    // A generation retired earlier and one retired in the same batch do not interfere.
    adopt(kOnlyN);
    ItemWriter one = writer();
    must(container_.create(one, item("y", "p", R"(,"n":1)")));
    container_ = ContainerUnderTest(kOnlyS);
    ASSERT_TRUE(one.adopt_policy(container_.policy()));
    ASSERT_TRUE(one.advance_index());
    commit(one);
    advance_to_the_end();
    EXPECT_EQ(index_->view()->active->text(), container_.policy()->text());
    EXPECT_EQ(count_of(*store_, 'S'), 102U);
    for (const char letter : kIndexLetters) {
        const auto number = static_cast<char>(index_->view()->generation);
        for (const auto& [key, value] : storage::testing_support::entries(
                 *store_, all_of(letter), storage::Direction::kForward)) {
            ASSERT_EQ(key[1], number);
        }
    }
}

TEST_F(ItemIndexTest, UnwrittenPartitionAdoptsAtOnce) {
    adopt(kOnlyN);
    EXPECT_EQ(keys(*store_, {}), "");
    EXPECT_EQ(index_->view()->active->text(), container_.policy()->text());
    EXPECT_FALSE(index_->view()->work_left);
    create("1", R"(,"n":1,"s":2)");
    EXPECT_EQ(count_of(*store_, 'I'), 4U);  // id pk n _ts
    ItemWriter one = writer();
    must(container_.remove(one, {"p"}, "1"));
    commit(one);
    adopt(kOnlyS);
    EXPECT_TRUE(index_->view()->is_built());
    advance_to_the_end();
    open();
    EXPECT_EQ(index_->view()->active->text(), container_.policy()->text());
}

TEST_F(ItemIndexTest, ModeNoneAndBack) {
    for (int i = 0; i < 70; ++i) {
        create(std::to_string(i), R"(,"n":1)");
    }
    adopt(R"({"indexingPolicy":{"indexingMode":"none"}})");
    EXPECT_TRUE(index_->view()->is_built());
    advance_to_the_end();
    EXPECT_EQ(count_of(*store_, 'I') + count_of(*store_, 'S') + count_of(*store_, 'N'), 0U);
    create("x", R"(,"n":1)");
    adopt("{}");
    EXPECT_FALSE(index_->view()->is_built());
    advance_to_the_end();
    EXPECT_EQ(count_of(*store_, 'S'), 71U);
}

TEST_F(ItemIndexTest, ReportsDamagedStates) {
    create("1", R"(,"n":1)");
    const auto damage = [&](const std::string& key, const std::string& value) {
        storage::testing_support::put(*store_, key, value);
        const auto opened = ItemIndex::open(*store_, container_.policy(), nullptr);
        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().code(), ErrorCode::kCorrupted) << opened.error().message();
        EXPECT_NE(testing_support::joined(must(verify(*store_)).problems), "");
    };
    const std::string record = *value_of(*store_, index_state_key());
    const std::string first_path = path_name_key(1, index::encode_path({{"id", false}}));
    damage(first_path, "\x09");
    storage::testing_support::put(*store_, first_path, "\x01");
    damage(shape_name_key(1, 7), "\x01");
    storage::WriteBatch batch;
    batch.remove(shape_name_key(1, 7));
    ASSERT_TRUE(store_->commit(batch));
    expect_sound(*store_);
    damage(path_name_key(1, "\x7f"), "\x01");
    damage(index_state_key(), "");
    damage(index_state_key(), record.substr(0, record.size() / 2));
    damage(index_state_key(), "\x02" + record.substr(1));
}

TEST_F(ItemIndexTest, LimitsPathsAndShapes) {
    for (int i = 0; i < static_cast<int>(index::kShapesMax) + 20; ++i) {
        ItemWriter one = writer();
        must(container_.create(one,
                               item(std::to_string(i), "p", ",\"k" + std::to_string(i) + "\":1")));
        ASSERT_TRUE(store_->commit(one.finish()));
        index_->committed();
        state_ = one.state();
    }
    expect_sound(*store_);
    open();
    ItemWriter one = writer();
    must(container_.upsert(one, item("1015", "p", R"(,"k2":1,"n":1)")));
    must(container_.remove(one, {"p"}, "1016"));
    must(container_.remove(one, {"p"}, "3"));
    commit(one);
}

}  // namespace item_index_test
}  // namespace orrery::partition
