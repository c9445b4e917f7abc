#include "partition/repair.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "partition/contents.h"
#include "partition/test_support.h"
#include "storage/engine_test_support.h"

namespace orrery::partition {
namespace repair_test {

using storage::testing_support::Entries;
using storage::testing_support::entries;
using storage::testing_support::everything;
using storage::testing_support::put;
using testing::HasSubstr;
using testing_support::expect_sound;
using testing_support::identity;
using testing_support::item;
using testing_support::must;
using testing_support::PartitionBench;

class RepairPartition : public testing::Test {
protected:
    void SetUp() override {
        for (const char* key : {"a", "b"}) {
            for (const char* id : {"1", "2", "3"}) {
                const std::string rest = std::string(R"(,"ttl":60,"u":)") + id;
                ASSERT_TRUE(bench_.create(item(id, key, rest)));
            }
        }
        ASSERT_TRUE(bench_.upsert(item("2", "a", R"(,"u":2,"tags":["x","y"])")));
        ASSERT_TRUE(bench_.remove({"a"}, "3"));
        expect_sound(store());
        whole_ = entries(store(), everything(), storage::Direction::kForward);
    }

    storage::PartitionStore& store() { return bench_.store(); }

    Repair run() {
        return must(repair(store(),
                           {.range_id = identity().range_id, .policy = bench_.container.policy()}));
    }

    void remove(const std::string& key) {
        storage::WriteBatch batch;
        batch.remove(key);
        ASSERT_TRUE(store().commit(batch));
    }
    void restore() {
        storage::WriteBatch batch;
        for (const auto& [key, value] :
             entries(store(), everything(), storage::Direction::kForward)) {
            batch.remove(key);
        }
        for (const auto& [key, value] : whole_)
            batch.put(key, value);
        ASSERT_TRUE(store().commit(batch));
    }

    // What follows from items: all but the items themselves and the log of what is gone.
    static bool is_derived(const std::string& key) {
        return std::string_view("DV").find(key[0]) == std::string_view::npos;
    }
    void expect_mended(const std::string& key) {
        SCOPED_TRACE(testing::PrintToString(key));
        ASSERT_FALSE(must(verify(store())).problems.empty()) << "the damage must show";
        run();
        expect_sound(store());
        const Repair again = run();
        EXPECT_EQ(again.entries_written + again.entries_removed, 0U);
        EXPECT_FALSE(again.index_rebuilt || again.counters_corrected);
        restore();
    }

    PartitionBench bench_{
        R"({"defaultTtl":-1,"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}})"};
    Entries whole_;
};

TEST_F(RepairPartition, ASoundOneStaysAsItIs) {
    const Repair done = run();
    EXPECT_EQ(done.entries_written + done.entries_removed, 0U);
    EXPECT_FALSE(done.index_rebuilt || done.counters_corrected);
    EXPECT_EQ(entries(store(), everything(), storage::Direction::kForward), whole_);
}

TEST_F(RepairPartition, MendsEveryMissingEntry) {
    std::size_t damaged = 0;
    for (const auto& [key, value] : whole_) {
        if (!is_derived(key)) continue;
        remove(key);
        expect_mended(key);
        ++damaged;
    }
    EXPECT_GT(damaged, 50U);
}

TEST_F(RepairPartition, MendsEveryWrongEntry) {
    for (const auto& [key, value] : whole_) {
        // The value of the others is empty and never looked at.
        if (std::string_view("KLUM").find(key[0]) == std::string_view::npos) continue;
        put(store(), key, "\x07nonsense");
        expect_mended(key);
    }
}

TEST_F(RepairPartition, RemovesStrayEntries) {
    for (const auto& [key, value] : whole_) {
        if (std::string_view("KPLTUIS").find(key[0]) == std::string_view::npos) continue;
        std::string stray = key;
        stray.back() = static_cast<char>(stray.back() ^ 0x40);
        put(store(), stray, value);
        expect_mended(stray);
    }
}

TEST_F(RepairPartition, CountsWhatIsLostButKeepsIt) {
    const auto lost = must(bench_.partition->read(bench_.container.ref({"a"}, "1"), 1));
    remove(item_key(lost->docnum()));
    Repair done = run();
    EXPECT_THAT(done.remarks, testing::ElementsAre(HasSubstr("is lost")));
    EXPECT_TRUE(done.counters_corrected);
    expect_sound(store());
    restore();
    put(store(), item_key(lost->docnum()), "nonsense");
    done = run();
    EXPECT_THAT(done.remarks, testing::ElementsAre(HasSubstr("cannot be repaired")));
    // It must be an error and not a missing item.
    EXPECT_FALSE(bench_.partition->read(bench_.container.ref({"a"}, "1"), 1));
    EXPECT_FALSE(must(verify(store())).problems.empty());
}

TEST_F(RepairPartition, AMendedPartitionCanBeUsed) {
    for (const auto& [key, value] : whole_) {
        if (is_derived(key)) remove(key);
    }
    const Repair done = run();
    EXPECT_TRUE(done.index_rebuilt && done.counters_corrected);
    expect_sound(store());
    bench_.reopen();
    EXPECT_TRUE(must(bench_.partition->read(bench_.container.ref({"b"}, "3"), 1)));
    EXPECT_FALSE(bench_.create(item("1", "b", R"(,"u":9)"))) << "a conflict";
    EXPECT_FALSE(bench_.create(item("9", "b", R"(,"u":1)"))) << "a unique key";
    EXPECT_TRUE(bench_.create(item("9", "b", R"(,"u":9)")));
    EXPECT_TRUE(bench_.remove({"a"}, "2"));
    expect_sound(store());
}

TEST_F(RepairPartition, MeasuresWhatIsWhere) {
    const Contents contents = must(measure(store()));
    EXPECT_EQ(contents.items, 5U);
    EXPECT_EQ(contents.parts.at("items").entries, 5U);
    EXPECT_EQ(contents.total().entries, whole_.size());
    std::vector<std::string> paths;
    for (const PathExtent& path : contents.paths)
        paths.push_back(path.path);
    EXPECT_THAT(
        paths,
        testing::UnorderedElementsAre("/id", "/pk", "/u", "/ttl", "/_ts", "/tags", "/tags/[]"));
}

}  // namespace repair_test
}  // namespace orrery::partition
