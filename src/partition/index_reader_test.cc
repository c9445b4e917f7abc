#include "partition/index_reader.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "index/path_tree.h"
#include "model/resource_id.h"
#include "partition/index_tasks.h"
#include "partition/test_support.h"

namespace orrery::partition {
namespace index_reader_test {

using index::ValueBounds;
using testing_support::expect_sound;
using testing_support::item;
using testing_support::must;
using testing_support::PartitionBench;
using testing_support::run;

// Lacked by every item.
constexpr IndexReader::Path kAbsent{.state = IndexReader::PathState::kAbsent, .id = 0};

constexpr const char* kComposite =
    R"({"indexingPolicy":{"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/no/*"}],
        "compositeIndexes":[[{"path":"/n"},{"path":"/s","order":"descending"}]]}})";

model::IndexPath path(std::string_view text) {
    return must(model::parse_index_pattern(std::string(text) + "/?")).front().path;
}
std::string json(std::string_view raw) {
    std::string out;
    std::string scratch;
    index::encode_json_scalar(out, raw, scratch);
    return out;
}

class IndexReaderTest : public testing::Test {
protected:
    IndexReader reader(bool may_block = true) {
        const auto view = bench_.partition->index_view();
        return must(
            IndexReader::open(*bench_.partition, view, bench_.store().snapshot(), may_block));
    }
    void create(const std::string& id, const std::string& rest) {
        ASSERT_TRUE(bench_.create(item(id, "p", rest)));
    }
    void create(const std::string& id, const std::string& rest, IndexingDirective directive) {
        ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) -> Status {
            const model::ItemBody body = bench_.container.body(item(id, "p", rest));
            WriteRules rules = bench_.container.rules();
            rules.indexing = directive;
            TRY(writer.create(body, bench_.container.epk(body.partition_key), rules));
            return {};
        }));
    }
    // The items of a cursor, numbered in creation order; "3?" needs checking.
    static std::string number(Docnum docnum) { return std::to_string(docnum & 0xffff); }
    std::string items(DocnumCursor& cursor) {
        std::string out;
        for (; cursor.valid(); cursor.next()) {
            out += number(cursor.docnum()) + (cursor.to_be_checked() ? "? " : " ");
        }
        EXPECT_TRUE(cursor.status());
        return out;
    }
    std::string items(TermCursor& cursor) {
        std::string out;
        for (; cursor.valid(); cursor.next()) {
            out += number(cursor.docnum()) + " ";
        }
        EXPECT_TRUE(cursor.status());
        return out;
    }
    std::string matching(std::string_view where, const ValueBounds& bounds, bool backward = false) {
        const IndexReader index = reader();
        const IndexReader::Path entry = must(index.find(path(where)));
        if (entry.state == IndexReader::PathState::kAbsent) return "absent";
        if (entry.state == IndexReader::PathState::kUnusable) return "unusable";
        return items(*index.terms(entry.id, bounds, backward));
    }
    std::string lacking(std::string_view where, bool backward = false) {
        const IndexReader index = reader();
        return items(*must(index.items_lacking(must(index.find(path(where))), backward)));
    }
    void adopt(std::string_view members) {
        bench_.container = testing_support::ContainerUnderTest(members);
        ASSERT_TRUE(run(*bench_.partition, [&](ItemWriter& writer) {
            return writer.adopt_policy(bench_.container.policy());
        }));
    }
    void advance() {
        ASSERT_TRUE(
            run(*bench_.partition, [](ItemWriter& writer) { return writer.advance_index(); }));
    }

    PartitionBench bench_{kComposite};
    int made_ = 0;
};

TEST_F(IndexReaderTest, EmptyPartition) {
    EXPECT_EQ(matching("/n", index::any_defined()), "absent");
    EXPECT_EQ(matching("/no/x", index::any_defined()), "unusable");
    EXPECT_EQ(items(*must(reader().items_lacking(kAbsent, false))), "");
    EXPECT_EQ(items(*reader().unindexed()), "");
    EXPECT_TRUE(must(reader().listed_paths()).empty());
}

TEST_F(IndexReaderTest, FindsItemsByValue) {
    create("a", R"(,"n":5,"s":"x","t":["u","v"])");
    create("b", R"(,"n":3,"s":"xy","t":["v"])");
    create("c", R"(,"n":5,"o":{"p":null})");
    create("d", R"(,"n":"5")");
    EXPECT_EQ(matching("/n", index::equal_to(json("5"))), "1 3 ");
    EXPECT_EQ(matching("/n", index::equal_to(json("5")), true), "3 1 ");
    EXPECT_EQ(matching("/n", index::less_than(json("5"))), "2 ");
    EXPECT_EQ(matching("/n", index::any_defined()), "2 1 3 4 ");
    EXPECT_EQ(matching("/n", index::any_defined(), true), "4 3 1 2 ");
    EXPECT_EQ(matching("/s", index::starting_with("x")), "1 2 ");
    EXPECT_EQ(matching("/t/[]", index::equal_to(json(R"("v")"))), "1 2 ");
    EXPECT_EQ(matching("/t", index::of_kind(index::Tag::kArray)).size(), 4U);
    EXPECT_EQ(matching("/o/p", index::equal_to(json("null"))), "3 ");
    EXPECT_EQ(matching("/id", index::equal_to(json(R"("d")"))), "4 ");
    EXPECT_EQ(matching("/nowhere", index::any_defined()), "absent");
    EXPECT_EQ(matching("/_etag", index::any_defined()), "unusable");
    EXPECT_EQ(must(reader().count(must(reader().find(path("/n"))).id, index::any_defined(), 10)),
              4U);
    EXPECT_EQ(must(reader().count(must(reader().find(path("/n"))).id, index::any_defined(), 3)),
              3U);
}

TEST_F(IndexReaderTest, Seeks) {
    for (const char* n : {"1", "2", "2", "2", "3"}) {
        create(std::string("i") + std::to_string(made_++), std::string(",\"n\":") + n);
    }
    const IndexReader index = reader();
    const index::PathId id = must(index.find(path("/n"))).id;
    const auto cursor = index.terms(id, index::any_defined(), false);
    cursor->seek(json("2"), (Docnum{3} << model::kItemCounterBits) | 4);
    ASSERT_TRUE(cursor->valid());
    EXPECT_EQ(number(cursor->docnum()), "4");
    EXPECT_EQ(cursor->value(), json("2"));
    cursor->seek(json("1"), 0);
    EXPECT_EQ(number(cursor->docnum()), "4");
    cursor->seek(json("2"), (Docnum{3} << model::kItemCounterBits) | 5);
    EXPECT_EQ(number(cursor->docnum()), "5");
    cursor->seek(json("4"), 0);
    EXPECT_FALSE(cursor->valid());
    const auto down = index.terms(id, index::any_defined(), true);
    down->seek(json("2"), (Docnum{3} << model::kItemCounterBits) | 3);
    EXPECT_EQ(items(*down), "3 2 1 ");
}

TEST_F(IndexReaderTest, FindsItemsThatLackAPath) {
    create("a", R"(,"n":1)");
    create("b", R"(,"s":1)");
    create("c", R"(,"n":1,"s":2)");
    create("d", R"(,"x":[])");
    create("e", R"(,"n":7)", IndexingDirective::kExclude);
    create("f", R"(,"s":null)", IndexingDirective::kInclude);
    EXPECT_EQ(lacking("/n"), "2 4 6 ");
    EXPECT_EQ(lacking("/n", true), "6 4 2 ");
    EXPECT_EQ(lacking("/s"), "1 4 ");
    EXPECT_EQ(items(*must(reader().items_lacking(kAbsent, false))), "1 2 3 4 6 ");
    EXPECT_EQ(items(*reader().unindexed()), "5? ");
    EXPECT_EQ(matching("/n", index::any_defined()), "1 3 ");
    const auto cursor = must(reader().items_lacking(kAbsent, false));
    cursor->seek((Docnum{3} << model::kItemCounterBits) | 4);
    EXPECT_EQ(items(*cursor), "4 6 ");
    const auto down = must(reader().items_lacking(kAbsent, true));
    down->seek((Docnum{3} << model::kItemCounterBits) | 3);
    EXPECT_EQ(items(*down), "3 2 1 ");
    expect_sound(bench_.store());
}

TEST_F(IndexReaderTest, ManyShapesWouldBlock) {
    for (int i = 0; i < 16; ++i) {
        create("id " + std::to_string(i), R"(,"p)" + std::to_string(i) + R"(":1)");
    }
    EXPECT_TRUE(reader(false).items_lacking(kAbsent, false));
    create("another", R"(,"another":1)");
    EXPECT_TRUE(reader().items_lacking(kAbsent, false));
    const auto lacking = reader(false).items_lacking(kAbsent, false);
    ASSERT_FALSE(lacking);
    EXPECT_EQ(lacking.error().code(), ErrorCode::kWouldBlock);
}

TEST_F(IndexReaderTest, CompositesHoldAllItemsInOrder) {
    create("a", R"(,"n":2,"s":"b")");
    create("b", R"(,"n":1,"s":"a")");
    create("c", R"(,"n":1,"s":"b")");
    create("d", R"(,"n":1)");
    create("e", R"(,"s":"a")");
    const IndexReader index = reader();
    const index::Composite parts{{path("/n"), index::Order::kAscending},
                                 {path("/s"), index::Order::kDescending}};
    const auto number_of = index.find_composite(parts);
    ASSERT_EQ(number_of, 0U);
    const ValueBounds all{.from = "", .until = "\xff", .exact = true};
    EXPECT_EQ(items(*index.composite(0, all, false)), "5 3 2 4 1 ");
    const ValueBounds one = index::equal_to(json("1"));
    EXPECT_EQ(items(*index.composite(0, one, false)), "3 2 4 ");
    const ValueBounds small = index::inverted(index::at_most(json(R"("a")")));
    EXPECT_EQ(items(*index.composite(
                  0,
                  {.from = json("1") + small.from, .until = json("1") + small.until, .exact = true},
                  false)),
              "2 ");
    const auto last = index.composite(0, one, false);
    last->next();
    const auto down = index.composite(0, all, true);
    down->seek(last->value(), last->docnum());
    EXPECT_EQ(items(*down), "2 3 5 ");
    EXPECT_EQ(index.find_composite(std::span(parts).first(1)), std::nullopt);
    const index::Composite reversed{{path("/n"), index::Order::kDescending},
                                    {path("/s"), index::Order::kAscending}};
    EXPECT_EQ(index.find_composite(reversed), std::nullopt);
}

TEST_F(IndexReaderTest, ListsItsPaths) {
    create("a", R"(,"n":[{"x":1}],"no":{"y":1})");
    std::vector<std::string> listed;
    for (const auto& [where, id] : must(reader().listed_paths())) {
        EXPECT_EQ(must(reader().find(where)).id, id);
        listed.push_back(model::to_text(where));
    }
    EXPECT_THAT(listed,
                testing::UnorderedElementsAre("/id", "/pk", "/n", "/n/[]", "/n/[]/x", "/_ts"));
}

TEST_F(IndexReaderTest, UnlistedPathsAreUnusable) {
    std::string wide = R"(,"w":{"k":1)";
    for (std::size_t i = 0; i < 4000; ++i) {
        wide += ",\"k" + std::to_string(i) + "\":1";
    }
    create("a", wide + "}");
    EXPECT_EQ(matching("/later", index::any_defined()), "absent");
    create("b", R"(,")" + std::string(index::kPathBytesMax, 'x') + R"(":1,"later":1)");
    EXPECT_EQ(matching("/later", index::any_defined()), "2 ");
    EXPECT_EQ(matching("/never", index::any_defined()), "unusable");
    expect_sound(bench_.store());
}

TEST_F(IndexReaderTest, PathsInBothPoliciesAreUsableWhileBuilding) {
    create("a", R"(,"n":1,"s":2,"no":3)");
    const auto view = bench_.partition->index_view();
    const auto before = bench_.store().snapshot();
    adopt(R"({"indexingPolicy":{"includedPaths":[{"path":"/n/?"},{"path":"/no/?"}],
        "excludedPaths":[{"path":"/*"}],"compositeIndexes":[[{"path":"/n"},{"path":"/no"}]]}})");
    EXPECT_EQ(matching("/n", index::any_defined()), "1 ");
    EXPECT_EQ(matching("/s", index::any_defined()), "unusable");
    EXPECT_EQ(matching("/no", index::any_defined()), "unusable");
    EXPECT_TRUE(reader().policy().indexes(path("/no")));
    const index::Composite old{{path("/n"), index::Order::kAscending},
                               {path("/s"), index::Order::kDescending}};
    const index::Composite now{{path("/n"), index::Order::kAscending},
                               {path("/no"), index::Order::kAscending}};
    EXPECT_EQ(reader().find_composite(old), std::nullopt);
    EXPECT_EQ(reader().find_composite(now), std::nullopt);
    while (bench_.partition->index_view()->work_left) {
        advance();
    }
    EXPECT_EQ(matching("/no", index::any_defined()), "1 ");
    EXPECT_EQ(reader().find_composite(now), 0U);
    // A reader of an older state still finds its index.
    const IndexReader earlier = must(IndexReader::open(*bench_.partition, view, before));
    const IndexReader::Path s = must(earlier.find(path("/s")));
    ASSERT_EQ(s.state, IndexReader::PathState::kListed);
    EXPECT_EQ(items(*earlier.terms(s.id, index::any_defined(), false)), "1 ");
    EXPECT_EQ(earlier.find_composite(old), 0U);
}

TEST_F(IndexReaderTest, ModeNoneHasNoIndex) {
    adopt(R"({"indexingPolicy":{"indexingMode":"none"}})");
    create("a", R"(,"n":1)");
    EXPECT_EQ(matching("/n", index::any_defined()), "unusable");
    EXPECT_EQ(matching("/id", index::any_defined()), "unusable");
    EXPECT_FALSE(reader().policy().enabled());
    expect_sound(bench_.store());
}

TEST_F(IndexReaderTest, ManualIndexingNeedsADirective) {
    adopt(R"({"indexingPolicy":{"automatic":false}})");
    create("a", R"(,"n":1)");
    create("b", R"(,"n":1)", IndexingDirective::kInclude);
    EXPECT_EQ(matching("/n", index::any_defined()), "2 ");
    EXPECT_EQ(items(*reader().unindexed()), "1? ");
    expect_sound(bench_.store());
}

}  // namespace index_reader_test
}  // namespace orrery::partition
