#include "sql/partition_key_filter.h"

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "sql/parser.h"
#include "sql/test_fold.h"

namespace orrery::sql {
namespace partition_key_filter_test {

model::PartitionKeyDefinition definition(const std::vector<std::string>& paths,
                                         model::HashKind kind = model::HashKind::kHashV2) {
    model::PartitionKeyDefinition out;
    for (const std::string& path : paths) {
        out.path_texts.push_back(path);
        out.paths.push_back(json::parse_path(path).take());
    }
    out.kind = paths.size() > 1 ? model::HashKind::kMultiHash : kind;
    return out;
}

// "all", or the keys as JSON.
std::string keys(const std::string& text, const model::PartitionKeyDefinition& key) {
    TestFold fold({{"@five", "5"}, {"@list", "[1,\"x\"]"}, {"@name", "\"key\""}});
    const Fold function = fold.function();
    const auto query = parse(text).take();
    const PartitionKeyFilter filter = partition_key_filter(*query, key, function);
    if (filter.all) return "all";
    std::string out;
    for (const auto& value : filter.keys) {
        out += value.to_json();
    }
    return out;
}

std::string where(const std::string& condition) {
    return keys("SELECT * FROM c WHERE " + condition, definition({"/key"}));
}

TEST(PartitionKeyFilter, Equality) {
    EXPECT_EQ(where("c.key = 5"), "[5]");
    EXPECT_EQ(where("'a' = c['key']"), R"(["a"])");
    EXPECT_EQ(where("c.key = @five"), "[5]");
    EXPECT_EQ(where("c[@name] = 5"), "[5]");
    EXPECT_EQ(where("c.key = null"), "[null]");
    EXPECT_EQ(where("c.key = [1]"), "[{}]");
    EXPECT_EQ(where("c.key = {}"), "[{}]");
    EXPECT_EQ(where("c.key = -0"), "[0]");
    EXPECT_EQ(where("c.key = undefined"), "");
    EXPECT_EQ(where("c.key = @missing"), "");
    EXPECT_EQ(where("c.key = Infinity"), "");
    EXPECT_EQ(where("c.key = c.other"), "all");
    EXPECT_EQ(where("c.other = 5"), "all");
    EXPECT_EQ(where("c.key > 5"), "all");
    EXPECT_EQ(where("c.key != 5"), "all");
    EXPECT_EQ(where("c.key[0] = 5"), "all");
    EXPECT_EQ(where("c.key.x = 5"), "all");
}

TEST(PartitionKeyFilter, AndOr) {
    EXPECT_EQ(where("c.key = 1 AND c.x > 2"), "[1]");
    EXPECT_EQ(where("c.key = 1 AND c.key = 2"), "");
    EXPECT_EQ(where("c.key = 1 OR c.key = 2"), "[1][2]");
    EXPECT_EQ(where("c.key = 1 OR c.x = 2"), "all");
    EXPECT_EQ(where("(c.key = 1 OR c.key = 2) AND c.key IN (2, 3)"), "[2]");
    EXPECT_EQ(where("c.key = 1 OR c.key = 1.0"), "[1]");
    EXPECT_EQ(where("c.key = 1 AND NOT (c.key = 1)"), "[1]");
}

TEST(PartitionKeyFilter, Constants) {
    EXPECT_EQ(where("true"), "all");
    EXPECT_EQ(where("false"), "");
    EXPECT_EQ(where("5"), "");
    EXPECT_EQ(where("c.key = 1 AND true"), "[1]");
    EXPECT_EQ(where("c.key = 1 OR false"), "[1]");
    EXPECT_EQ(where("1 = 2"), "");
    EXPECT_EQ(where("1 = 1"), "all");
    EXPECT_EQ(where("@five = 5 AND c.key = 2"), "[2]");
}

TEST(PartitionKeyFilter, Lists) {
    EXPECT_EQ(where("c.key IN (2, 'a', null, {'x': 8}, [7])"), "[{}][null][2][\"a\"]");
    EXPECT_EQ(where("c.key IN (1, c.x)"), "all");
    EXPECT_EQ(where("c.key NOT IN (1)"), "all");
    EXPECT_EQ(where("c.key IN (undefined)"), "");
    EXPECT_EQ(where("ARRAY_CONTAINS([1, 2], c.key)"), "[1][2]");
    EXPECT_EQ(where("array_contains(@list, c.key)"), "[1][\"x\"]");
    EXPECT_EQ(where("_TRY_ARRAY_CONTAINS([1], c.key)"), "[1]");
    EXPECT_EQ(where("ARRAY_CONTAINS(5, c.key)"), "");
    EXPECT_EQ(where("ARRAY_CONTAINS(c.x, c.key)"), "all");
    EXPECT_EQ(where("ARRAY_CONTAINS([1, 2, 3], c.key) AND c.key = 4"), "");
}

TEST(PartitionKeyFilter, Functions) {
    EXPECT_EQ(where("IS_NULL(c.key)"), "[null]");
    EXPECT_EQ(where("IS_BOOL(c.key)"), "[false][true]");
    EXPECT_EQ(where("is_boolean(c.key)"), "[false][true]");
    EXPECT_EQ(where("IS_DEFINED(c.key)"), "all");
    EXPECT_EQ(where("IS_NUMBER(c.key)"), "all");
    EXPECT_EQ(where("ABS(c.key) = 1"), "[1][-1]");
    EXPECT_EQ(where("0 = ABS(c.key)"), "[0]");
    EXPECT_EQ(where("ABS(c.key) = -1"), "");
    EXPECT_EQ(where("ABS(c.key) = 'x'"), "");
    EXPECT_EQ(where("udf.IS_NULL(c.key)"), "all");
}

TEST(PartitionKeyFilter, Booleans) {
    EXPECT_EQ(where("c.key"), "[true]");
    EXPECT_EQ(where("NOT c.key"), "[false]");
    EXPECT_EQ(where("NOT c.x"), "all");
}

TEST(PartitionKeyFilter, Like) {
    EXPECT_EQ(where("c.key LIKE 'abc'"), R"(["abc"])");
    EXPECT_EQ(where("c.key LIKE 'a!%' ESCAPE '!'"), R"(["a%"])");
    EXPECT_EQ(where("c.key LIKE 'a%'"), "all");
    EXPECT_EQ(where("c.key LIKE 5"), "");
    EXPECT_EQ(where("c.key NOT LIKE 'abc'"), "all");
}

TEST(PartitionKeyFilter, Sources) {
    const auto nested = definition({"/a/b"});
    EXPECT_EQ(keys("SELECT * FROM c.a AS x WHERE x.b = 1", nested), "[1]");
    EXPECT_EQ(keys("SELECT 1 FROM c JOIN c.a AS x WHERE x.b = 1", nested), "[1]");
    EXPECT_EQ(keys("SELECT * FROM x IN c.a WHERE x.b = 1", nested), "all");
    EXPECT_EQ(keys("SELECT x FROM c JOIN x IN c.a WHERE x.b = 1", nested), "all");
    EXPECT_EQ(keys("SELECT * FROM (SELECT VALUE c FROM c) AS x WHERE x.a.b = 1", nested), "all");
    EXPECT_EQ(keys("SELECT * FROM c.a[0] AS x WHERE x.b = 1", nested), "all");
    EXPECT_EQ(keys("SELECT 5", nested), "");
}

TEST(PartitionKeyFilter, ScalarSubqueriesMustHaveARow) {
    EXPECT_EQ(where("c.x = (SELECT * FROM c WHERE c.key = 42) AND c.key = 32"), "");
    EXPECT_EQ(where("c.x = (SELECT * FROM c WHERE c.key = 42)"), "[42]");
    EXPECT_EQ(where("c.x = (SELECT VALUE COUNT(1) FROM c WHERE c.key = 42)"), "all");
    EXPECT_EQ(where("c.x = (SELECT VALUE c FROM c IN c.tags WHERE c.key = 42)"), "all");
    EXPECT_EQ(where("EXISTS(SELECT * FROM c WHERE c.key = 42) AND c.key = 32"), "[32]");
}

TEST(PartitionKeyFilter, HierarchicalKeys) {
    const auto three = definition({"/a", "/b", "/c"});
    const auto of = [&](const std::string& condition) {
        return keys("SELECT * FROM c WHERE " + condition, three);
    };
    EXPECT_EQ(of("c.a = 1 AND c.b = 2 AND c.c = 3"), "[1,2,3]");
    EXPECT_EQ(of("c.a = 1 AND c.b = 2"), "[1,2]");
    EXPECT_EQ(of("c.a = 1 AND c.c = 2"), "[1]");
    EXPECT_EQ(of("c.b = 2"), "all");
    EXPECT_EQ(of("c.a IN (1, 2) AND c.b IN (3, 4)"), "[1,3][1,4][2,3][2,4]");
    EXPECT_EQ(of("c.a = 1 OR (c.a = 1 AND c.b = 2)"), "[1]");
    EXPECT_EQ(of("(c.a = 1 AND c.b = 1) OR (c.a = 2 AND c.b = 2)"), "[1,1][2,2]");
    auto flat = three;
    flat.kind = model::HashKind::kHashV1;
    EXPECT_EQ(keys("SELECT * FROM c WHERE c.a = 1 AND c.b = 2", flat), "all");
    EXPECT_EQ(keys("SELECT * FROM c WHERE c.a = 1 AND c.b = 2 AND c.c = 3", flat), "[1,2,3]");
}

TEST(PartitionKeyFilter, WithoutPartitionKey) {
    EXPECT_EQ(keys("SELECT * FROM c WHERE c.a = 1", definition({})), "all");
    auto system = definition({"/_partitionKey"});
    system.system_key = true;
    EXPECT_EQ(keys("SELECT * FROM c WHERE c._partitionKey = 1", system), "all");
}

TEST(PartitionKeyFilter, LongListsAreFast) {
    std::string list = "c.key IN (0";
    for (int i = 1; i < 20000; ++i) {
        list += "," + std::to_string(i);
    }
    list += ")";
    EXPECT_EQ(where(list + " AND " + list + " AND c.key = 7"), "[7]");
}

TEST(QueryRanges, Points) {
    const auto key = definition({"/key"});
    PartitionKeyFilter filter{.all = false, .keys = {{2.0}, {1.0}, {3.0}}};
    const auto ranges = query_ranges(filter, key);
    ASSERT_EQ(ranges.size(), 3U);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        EXPECT_TRUE(ranges[i].is_point());
        EXPECT_EQ(ranges[i].min_inclusive.size(), 16U);
        if (i != 0) {
            EXPECT_LT(ranges[i - 1].min_inclusive, ranges[i].min_inclusive);
        }
    }
    EXPECT_FALSE(is_single_key(filter, key));
    filter.keys.resize(1);
    EXPECT_TRUE(is_single_key(filter, key));
}

TEST(QueryRanges, Ends) {
    const auto key = definition({"/key"});
    EXPECT_EQ(query_ranges({}, key), (std::vector<QueryRange>{{"", "\xFF", false}}));
    EXPECT_EQ(query_ranges({.all = false, .keys = {}}, key),
              (std::vector<QueryRange>{{"", "", true}}));
    const auto two = definition({"/a", "/b"});
    const auto prefix = query_ranges({.all = false, .keys = {{std::string("x")}}}, two);
    ASSERT_EQ(prefix.size(), 1U);
    EXPECT_FALSE(prefix[0].is_point());
    EXPECT_TRUE(prefix[0].max_inclusive) << "as in the service's plans";
    EXPECT_EQ(prefix[0].min_inclusive, model::prefix_range({std::string("x")}).min_inclusive);
    EXPECT_FALSE(is_single_key({.all = false, .keys = {{std::string("x")}}}, two));
}

}  // namespace partition_key_filter_test
}  // namespace orrery::sql
