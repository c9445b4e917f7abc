// The language end to end: text in, rows out, over items in memory.

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "sql/functions/function.h"
#include "sql/test_support.h"

namespace orrery::sql {
namespace query_test {

using testing::HasSubstr;
using testing_support::evaluate;
using testing_support::ListedItems;
using testing_support::run;

struct Case {
    std::string_view query;
    std::string_view rows;
};

void expect_all(ListedItems& items, std::span<const Case> cases) {
    for (const Case& one : cases) {
        for (const std::size_t page_size : {1000UL, 1UL, 2UL}) {
            EXPECT_EQ(run(one.query, items, {.page_size = page_size, .parameters = {}}), one.rows)
                << one.query << " in pages of " << page_size;
        }
    }
}

ListedItems families() {
    return ListedItems({
        R"({"id":"a","n":1,"name":"Ann","tags":["x","y"],"home":{"city":"Rome"},"on":true})",
        R"({"id":"b","n":2,"name":"Bob","tags":[],"home":{"city":"Oslo"},"on":false})",
        R"({"id":"c","n":2,"tags":["y","z"],"pets":[{"k":"cat","a":3},{"k":"dog","a":5}]})",
        R"({"id":"d","n":null,"name":"Dan","n2":9007199254740993,"home":"none"})",
    });
}

TEST(Query, ConstantExpressionsFollowTheReference) {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"1 = \"1\"", "false"},
        {"1 != \"1\"", "true"},
        {"undefined = 1", "undefined"},
        {"null = null", "true"},
        {"{\"a\": 1, \"b\": 2} = {\"b\": 2.0, \"a\": 1}", "true"},
        {"[1, 2] = [2, 1]", "false"},
        {"1 < \"a\"", "undefined"},
        {"null <= null", "true"},
        {"[1] < [2]", "undefined"},
        {"5 AND false", "false"},
        {"5 AND true", "undefined"},
        {"NOT 5", "undefined"},
        {"undefined OR true", "true"},
        {"null ?? 1", "null"},
        {"undefined ?? 1", "1"},
        {"1 ? \"a\" : \"b\"", "\"b\""},
        {"true ? \"a\" : \"b\"", "\"a\""},
        {"9007199254740993 + 1", "9007199254740994"},
        {"1 / 3", "0.33333333333333331"},
        {"0.1 + 0.2", "0.30000000000000004"},
        {"18446744073709551615", "1.8446744073709552e+19"},
        {"9223372036854775807 + 1", "9.2233720368547758e+18"},
        {"-0.0", "0"},
        {"7 % -3", "1"},
        {"-1 >>> 28", "15"},
        {"~5", "-6"},
        {"1 << 31", "-2147483648"},
        {"\"a\" || \"b\"", "\"ab\""},
        {"\"a\" || 1", "undefined"},
        {"2 BETWEEN 1 AND 3", "true"},
        {"3 IN (1, \"3\", 3.0)", "true"},
        {"undefined IN (1)", "undefined"},
        {"12 IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)", "true"},
        {"13 NOT IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)", "true"},
        {"\"abc\" LIKE \"a%\"", "true"},
        {"\"abc\" LIKE \"_b_\"", "true"},
        {"\"a%c\" LIKE \"a!%c\" ESCAPE \"!\"", "true"},
        {"\"abc\" LIKE \"[a-c]bc\"", "true"},
        {"\"abc\" LIKE \"[^a]bc\"", "false"},
        {"1 LIKE \"1\"", "undefined"},
        {"[1, undefined, null]", "[1,null]"},
        {"{\"a\": undefined, \"b\": 1}", "{\"b\":1}"},
        {"[1, 2, 3][1]", "2"},
        {"{\"x\": {\"y\": 5}}.x.y", "5"},
        {"\"\\uD83D\\uDE00\" > \"\\uFFFD\"", "false"},
    };
    for (const auto& [expression, value] : cases) {
        EXPECT_EQ(evaluate(expression), value) << expression;
    }
    EXPECT_THAT(evaluate("1 / 0"), HasSubstr("error/4001"));
}

TEST(Query, FunctionExamplesAreCorrect) {
    for (const FunctionGroup& group : function_groups()) {
        for (const Function& function : group.functions) {
            if (!function.deterministic || function.example.expression.empty()) continue;
            const std::string_view expected =
                function.example.result.empty() ? "undefined" : function.example.result;
            EXPECT_EQ(evaluate(function.example.expression),
                      expected == "undefined" ? "undefined" : evaluate(expected))
                << function.example.expression;
        }
    }
}

TEST(Query, FiltersAndProjections) {
    ListedItems items = families();
    const Case cases[] = {
        {"SELECT c.id FROM c WHERE c.n = 2", R"([{"id":"b"},{"id":"c"}])"},
        {"SELECT VALUE c.name FROM c", R"(["Ann","Bob","Dan"])"},
        {"SELECT c.name FROM c WHERE c.id = \"c\"", "[{}]"},
        {"SELECT VALUE c.id FROM c WHERE c.on", R"(["a"])"},
        {"SELECT VALUE c.id FROM c WHERE NOT c.on", R"(["b"])"},
        {"SELECT VALUE c.id FROM c WHERE c.name != null", R"(["a","b","d"])"},
        {"SELECT VALUE c.id FROM c WHERE c.home.city >= \"P\"", R"(["a"])"},
        {"SELECT VALUE c.n2 FROM c", "[9007199254740993]"},
        {"SELECT c.id, c.n + 1, c.tags[0] AS t, c[\"name\"] FROM c WHERE c.id = 'a'",
         R"([{"id":"a","$1":2,"t":"x","name":"Ann"}])"},
        {"SELECT * FROM c WHERE c.id = 'd'",
         R"([{"id":"d","n":null,"name":"Dan","n2":9007199254740993,"home":"none"}])"},
        {"SELECT TOP 2 VALUE c.id FROM c", R"(["a","b"])"},
        {"SELECT VALUE c.id FROM c OFFSET 1 LIMIT 2", R"(["b","c"])"},
        {"SELECT VALUE x.city FROM c.home AS x", R"(["Rome","Oslo"])"},
        {"SELECT VALUE r.id FROM (SELECT VALUE c FROM c WHERE c.n = 2) AS r", R"(["b","c"])"},
        {"SELECT 1 AS one", R"([{"one":1}])"},
        {"SELECT VALUE c.id FROM c WHERE false", "[]"},
    };
    expect_all(items, cases);
}

TEST(Query, JoinsAndSubqueries) {
    ListedItems items = families();
    const Case cases[] = {
        {"SELECT c.id, t FROM c JOIN t IN c.tags",
         R"([{"id":"a","t":"x"},{"id":"a","t":"y"},{"id":"c","t":"y"},{"id":"c","t":"z"}])"},
        {"SELECT VALUE [t, p.k] FROM c JOIN t IN c.tags JOIN p IN c.pets WHERE p.a > 3",
         R"([["y","dog"],["z","dog"]])"},
        {"SELECT VALUE p.k FROM p IN c.pets", R"(["cat","dog"])"},
        {"SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'y')",
         R"(["a","c"])"},
        {"SELECT VALUE ARRAY(SELECT VALUE p.a FROM p IN c.pets) FROM c WHERE IS_DEFINED(c.pets)",
         "[[3,5]]"},
        {"SELECT VALUE (SELECT VALUE COUNT(1) FROM t IN c.tags) FROM c", "[2,0,2,0]"},
        {"SELECT VALUE s.total FROM c JOIN (SELECT SUM(p.a) AS total FROM p IN c.pets) AS s",
         "[0,0,8,0]"},
        {"SELECT VALUE m.k FROM c JOIN m IN (SELECT VALUE ObjectToArray(c.home)) WHERE c.n = 1",
         R"(["city"])"},
        {"SELECT VALUE c.id FROM c WHERE ARRAY_CONTAINS(c.tags, 'z')", R"(["c"])"},
    };
    expect_all(items, cases);
    EXPECT_THAT(run("SELECT VALUE (SELECT VALUE t FROM t IN c.tags) FROM c", items),
                HasSubstr("cardinality"));
}

TEST(Query, GroupsAggregatesAndDistinct) {
    ListedItems items = families();
    const Case cases[] = {
        {"SELECT VALUE COUNT(1) FROM c", "[4]"},
        {"SELECT VALUE COUNT(c.name) FROM c", "[3]"},
        {"SELECT VALUE SUM(c.n2) FROM c", "[9007199254740993]"},
        {"SELECT VALUE SUM(c.n) FROM c", "[]"},
        {"SELECT SUM(c.n) AS s FROM c", "[{}]"},
        {"SELECT VALUE AVG(c.n) FROM c WHERE c.n > 0", "[1.6666666666666667]"},
        {"SELECT VALUE MAX(c.name) FROM c", R"(["Dan"])"},
        {"SELECT VALUE MIN(c.n) FROM c", "[null]"},
        {"SELECT VALUE MAX(c.nothing) FROM c", "[]"},
        {"SELECT VALUE SUM(c.nothing) FROM c", "[0]"},
        {"SELECT c.n, COUNT(1) AS many FROM c GROUP BY c.n",
         R"([{"n":null,"many":1},{"n":1,"many":1},{"n":2,"many":2}])"},
        {"SELECT c.name FROM c GROUP BY c.name",
         R"([{},{"name":"Ann"},{"name":"Bob"},{"name":"Dan"}])"},
        {"SELECT VALUE COUNT(1) FROM c GROUP BY c.nothing", "[4]"},
        {"SELECT c.n, COUNT(1) AS many FROM c WHERE false GROUP BY c.n", "[]"},
        {"SELECT DISTINCT VALUE c.n FROM c", "[null,1,2]"},
        {"SELECT DISTINCT c.nothing FROM c", "[{}]"},
        {"SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.n FROM c) AS r", "[3]"},
        {"SELECT TOP 1 c.n, COUNT(1) AS many FROM c GROUP BY c.n", R"([{"n":null,"many":1}])"},
        {"SELECT c.n, COUNT(1) AS many FROM c GROUP BY c.n ORDER BY c.n DESC",
         R"([{"n":2,"many":2},{"n":1,"many":1},{"n":null,"many":1}])"},
        {"SELECT VALUE MAKELIST(c.id) FROM c", R"([["a","b","c","d"]])"},
        {"SELECT VALUE MAKESET(c.n) FROM c", "[[1,2,null]]"},
        {"SELECT VALUE COUNTIF(c.n = 2) FROM c", "[2]"},
        {"SELECT VALUE [{\"item\": {\"sum\": SUM(c.n2), \"count\": COUNT(c.n2)}}] FROM c",
         R"([[{"item":{"sum":9007199254740993,"count":1}}]])"},
        {"SELECT VALUE (COUNT(v) > 0) FROM (SELECT VALUE c FROM c WHERE c.n = 2) AS v", "[true]"},
    };
    expect_all(items, cases);
}

TEST(Query, MissingParametersAreUndefined) {
    ListedItems items = families();
    EXPECT_EQ(run("SELECT VALUE c.id FROM c WHERE c.n = @n",
                  items,
                  {.page_size = 10, .parameters = {{"@n", "2"}}}),
              R"(["b","c"])");
    EXPECT_EQ(run("SELECT VALUE c.id FROM c WHERE c.n = @n", items), "[]");
    EXPECT_EQ(run("SELECT TOP @k VALUE c[@p] FROM c",
                  items,
                  {.page_size = 10, .parameters = {{"@k", "1"}, {"@p", "\"id\""}}}),
              R"(["a"])");
}

TEST(Query, SortingWithoutAnIndexIsRefused) {
    ListedItems items = families();
    EXPECT_THAT(run("SELECT * FROM c ORDER BY c.n", items), HasSubstr("is excluded"));
    EXPECT_THAT(run("SELECT * FROM c ORDER BY c.n, c.id", items), HasSubstr("composite index"));
}

}  // namespace query_test
}  // namespace orrery::sql
