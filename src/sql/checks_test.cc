#include "sql/checks.h"

#include <array>
#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "base/ascii.h"
#include "sql/parser.h"
#include "sql/projection.h"

namespace orrery::sql {
namespace checks_test {

using ::testing::HasSubstr;

Function row(std::string_view name, std::uint8_t min, std::uint8_t max) {
    Function function;
    function.name = name;
    function.arguments_min = min;
    function.arguments_max = max;
    return function;
}

const Function* find_test_function(std::string_view name) {
    static const std::array kFunctions = {row("STARTSWITH", 2, 3),
                                          row("ARRAY_CONTAINS_ANY", 2, kAnyNumber),
                                          row("UPPER", 1, 1),
                                          row("DOCUMENTID", 1, 1),
                                          row("ARRAY_LENGTH", 1, 1),
                                          row("IS_DEFINED", 1, 1)};
    for (const Function& function : kFunctions) {
        if (same_word(function.name, name)) return &function;
    }
    return nullptr;
}

// Empty when the query is valid.
std::string checked(std::string_view text, bool allow_unsupported = false) {
    const auto query = parse(text);
    if (!query) return query.error().message();
    const Status status = check_query(**query, {find_test_function, allow_unsupported});
    return status ? std::string() : status.error().message();
}

std::string one(const std::string& location, const std::string& code, const std::string& message) {
    return R"({"severity":"Error",)" + location + code + R"("message":")" + message + "\"}";
}

std::string error(const std::string& code, int start, int end, const std::string& message) {
    return R"({"errors":[)" +
           one("\"location\":{\"start\":" + std::to_string(start) +
                   ",\"end\":" + std::to_string(end) + "},",
               code.empty() ? "" : "\"code\":\"" + code + "\",",
               message) +
           "]}";
}

std::string unresolved(const std::string& name, int start, int end) {
    return error("SC2001", start, end, "Identifier '" + name + "' could not be resolved.");
}

TEST(Checks, Names) {
    EXPECT_EQ(checked("SELECT * FROM c WHERE c.a = 1"), "");
    EXPECT_EQ(checked("SELECT * FROM root AS r WHERE c.x"), unresolved("c", 30, 31));
    EXPECT_EQ(checked("SELECT children FROM Families.children"), "");
    EXPECT_EQ(checked("SELECT a"), unresolved("a", 7, 8));
    EXPECT_EQ(checked("SELECT t FROM c JOIN t IN c.tags JOIN u IN t.x"), "");
    EXPECT_EQ(checked("SELECT 1 FROM c JOIN t IN x.tags"), unresolved("x", 26, 27));
    EXPECT_EQ(checked("SELECT 1 FROM c JOIN t IN u.x JOIN u IN c.u"), unresolved("u", 26, 27));
    EXPECT_THAT(checked("SELECT a, b FROM c"),
                HasSubstr("'a' could not be resolved.\"},{\"severity\""));
    EXPECT_EQ(checked("SELECT 1 FROM c JOIN c IN c.x"),
              error("SC2011",
                    21,
                    22,
                    "The input alias 'c' is specified more than once in the FROM clause."));
}

TEST(Checks, NamesInSubqueries) {
    EXPECT_EQ(checked("SELECT (SELECT VALUE t FROM t IN c.tags WHERE t = c.x) FROM c"), "");
    EXPECT_EQ(checked("SELECT t, EXISTS(SELECT t FROM t IN c.tags) FROM c"), unresolved("t", 7, 8));
    EXPECT_EQ(checked("SELECT VALUE r0 FROM (SELECT VALUE root FROM root) AS r0"), "");
    EXPECT_EQ(checked("SELECT 1 FROM (SELECT VALUE r FROM (SELECT VALUE x FROM x) AS r)"), "");
    EXPECT_EQ(checked("SELECT EXISTS(SELECT 1 FROM root c)"), unresolved("root", 28, 32));
    EXPECT_EQ(checked("SELECT 1 FROM c JOIN (SELECT 1 FROM root) AS r"),
              unresolved("root", 36, 40));
    EXPECT_EQ(checked("SELECT 1 FROM c JOIN (SELECT VALUE c FROM c IN c.x) AS r"), "");
}

TEST(Checks, SelectStar) {
    EXPECT_EQ(checked("SELECT *"),
              error("", 7, 8, "'SELECT *' is not valid if FROM clause is omitted."));
    EXPECT_EQ(checked("SELECT * FROM c JOIN t IN c.t"),
              error("", 7, 8, "'SELECT *' is only valid with a single input set."));
    EXPECT_EQ(checked("SELECT * FROM c GROUP BY c.a"),
              error("SC2041", 7, 8, "'SELECT *' is not allowed with GROUP BY."));
}

TEST(Checks, DocumentId) {
    EXPECT_EQ(checked("SELECT * FROM root r WHERE documentid(r) > 5"), "");
    EXPECT_THAT(checked("SELECT DOCUMENTID(r.x) FROM r"), HasSubstr("alias of the container"));
    EXPECT_THAT(checked("SELECT DOCUMENTID(t) FROM c JOIN t IN c.t"),
                HasSubstr("alias of the container"));
    EXPECT_THAT(checked("SELECT DOCUMENTID(t) FROM t IN c.t"), HasSubstr("alias of the container"));
    EXPECT_THAT(checked("SELECT DOCUMENTID() FROM c"), HasSubstr("SC2050"));
}

TEST(Checks, Functions) {
    EXPECT_EQ(checked("SELECT startswith(c.a, 'x') FROM c"), "");
    EXPECT_EQ(checked("SELECT BADFUNC(r.age) FROM Root r"),
              error("SC2005", 7, 14, "'BADFUNC' is not a recognized built-in function name."));
    EXPECT_EQ(checked("SELECT * FROM Root r WHERE STARTSWITH(r.key, 'a', 'b', 'c')"),
              error("SC2050", 27, 59, "The STARTSWITH function requires 2 to 3 argument(s)."));
    EXPECT_THAT(checked("SELECT ARRAY_CONTAINS_ANY(c.a) FROM c"),
                HasSubstr("The ARRAY_CONTAINS_ANY function requires at least 2 argument(s)."));
    EXPECT_THAT(checked("SELECT UPPER() FROM c"),
                HasSubstr("The UPPER function requires 1 argument(s)."));
    EXPECT_THAT(checked("SELECT COUNT(1, 2) FROM c"),
                HasSubstr("The COUNT function requires 1 argument(s)."));
    EXPECT_EQ(checked("SELECT udf.anything(1, 2) FROM c"), "");
}

TEST(Checks, UnsupportedFeatures) {
    EXPECT_EQ(checked("SELECT ST_Distance(c.a, c.b) FROM c"),
              error("", 7, 28, "The ST_Distance function is not supported yet."));
    EXPECT_EQ(checked("SELECT ST_Distance(c.a, c.b) FROM c", true), "");
    EXPECT_THAT(checked("SELECT * FROM c ORDER BY VectorDistance(c.a, [1])"),
                HasSubstr("The VectorDistance function is not supported yet."));
    EXPECT_EQ(checked("SELECT * FROM c ORDER BY RANK FullTextScore(c.a, 'x')"),
              error("", 16, 53, "The ORDER BY RANK clause is not supported yet."));
    EXPECT_EQ(checked("SELECT * FROM c ORDER BY RANK FullTextScore(c.a, 'x')", true), "");
}

TEST(Checks, Scores) {
    EXPECT_THAT(checked("SELECT * FROM c WHERE FullTextScore(c.a, 'x') > 1"), HasSubstr("SC2240"));
    EXPECT_THAT(checked("SELECT RRF(FullTextScore(c.a, 'x')) FROM c"),
                testing::AllOf(HasSubstr("SC2240"), HasSubstr("'RRF' is not a recognized")));
    const std::string rank = "SELECT * FROM c ORDER BY RANK ";
    EXPECT_THAT(checked(rank + "UPPER(c.a)"), HasSubstr("SC2221"));
    EXPECT_THAT(checked(rank + "RRF(FullTextScore(c.a, 'x'))"), HasSubstr("SC2221"));
    EXPECT_THAT(checked(rank + "FullTextScore(c.a, 'x') DESC"), HasSubstr("sort order"));
    const std::string two = "RRF(FullTextScore(c.a, 'x'), VectorDistance(c.v, [1])";
    EXPECT_EQ(checked(rank + two + ")", true), "");
    EXPECT_EQ(checked(rank + two + ", [1, -0.5])", true), "");
    EXPECT_THAT(checked(rank + two + ", [1])", true), HasSubstr("SC2229"));
    EXPECT_THAT(checked("SELECT x FROM c JOIN x IN c.x ORDER BY RANK FullTextScore(c.a, 'x')"),
                testing::AllOf(HasSubstr("SC2224"), HasSubstr("SC2223")));
    EXPECT_THAT(
        checked("SELECT * FROM (SELECT * FROM c) AS r ORDER BY RANK FullTextScore(r.a, 'x')"),
        HasSubstr("SC2225"));
}

TEST(Checks, Indexers) {
    EXPECT_EQ(checked("SELECT c.a[0], c.a[1 + 1] AS b, c.a[@p] AS d, c['x'] FROM c"), "");
    EXPECT_EQ(checked("SELECT VALUE c.arr[c.i] FROM c"),
              error("SC2990",
                    13,
                    23,
                    "The specified query includes 'member indexer' which is currently not "
                    "supported."));
    EXPECT_THAT(checked("SELECT VALUE @p[ARRAY_LENGTH(c.x)] FROM c"), HasSubstr("SC2990"));
    EXPECT_THAT(checked("SELECT VALUE @p[(SELECT 1)]"), HasSubstr("SC2990"));
}

TEST(Checks, Escape) {
    EXPECT_EQ(checked("SELECT c.a LIKE 'x' ESCAPE 'é' FROM c"), "");
    EXPECT_THAT(checked("SELECT c.a LIKE 'x' ESCAPE '' FROM c"), HasSubstr("ESCAPE"));
    EXPECT_THAT(checked("SELECT c.a LIKE 'x' ESCAPE 'ab' FROM c"), HasSubstr("ESCAPE"));
    EXPECT_THAT(checked(R"(SELECT c.a LIKE 'x' ESCAPE '\\' FROM c)"), HasSubstr("ESCAPE"));
}

TEST(Checks, ClausesNotAllowedInSubqueries) {
    EXPECT_EQ(checked("SELECT DISTINCT VALUE r1 FROM (SELECT TOP 10 VALUE root[\"Int\"] FROM root "
                      "ORDER BY root[\"Int\"] ASC) AS r1"),
              R"({"errors":[{"severity":"Error","location":{"start":73,"end":97},"code":"SC2202",)"
              R"("message":"'ORDER BY' is not supported in subqueries."},)"
              R"({"severity":"Error","location":{"start":38,"end":44},"code":"SC2203",)"
              R"("message":"'TOP' is not supported in subqueries."}]})");
    EXPECT_THAT(checked("SELECT ARRAY(SELECT VALUE t FROM t IN c.t OFFSET 1 LIMIT 2) FROM c"),
                HasSubstr("\"start\":42,\"end\":58},\"code\":\"SC2204\""));
    EXPECT_THAT(checked("SELECT 1 FROM (SELECT * FROM c ORDER BY RANK FullTextScore(c.a, 'x'))"),
                HasSubstr("SC2228"));
}

TEST(Checks, DuplicateNames) {
    EXPECT_EQ(checked("SELECT c.a, c.b AS a FROM c"),
              error("SC2022",
                    19,
                    20,
                    "Object creation error, property name 'a' specified more than once."));
    EXPECT_THAT(checked("SELECT c.a, c.x.a FROM c"), HasSubstr("\"start\":12,\"end\":17"));
    EXPECT_THAT(checked("SELECT VALUE {'a': 1, a: 2}"), HasSubstr("\"start\":22,\"end\":23"));
    EXPECT_EQ(checked("SELECT 1, 2, c.a, c.A FROM c"), "");
    EXPECT_THAT(checked("SELECT (SELECT 1 AS x, 2 AS x)"), HasSubstr("SC2022"));
}

TEST(Checks, Aggregates) {
    EXPECT_EQ(checked("SELECT VALUE MAX(MIN(r)) FROM r"),
              error("SC2101",
                    13,
                    24,
                    "Cannot perform an aggregate function on an expression containing an aggregate "
                    "or a subquery."));
    EXPECT_THAT(checked("SELECT VALUE MAX((SELECT 1)) FROM r"), HasSubstr("SC2101"));
    EXPECT_EQ(checked("SELECT VALUE (COUNT(v) > 0) FROM (SELECT VALUE r FROM r) AS v"), "");
    EXPECT_THAT(checked("SELECT 1 FROM c WHERE COUNT(c.a) > 1"),
                HasSubstr("not allowed in the WHERE"));
    EXPECT_THAT(checked("SELECT 1 FROM c GROUP BY COUNT(c.a)"), HasSubstr("GROUP BY"));
    EXPECT_THAT(checked("SELECT 1 FROM c GROUP BY (SELECT 1)"), HasSubstr("Subqueries"));
    EXPECT_THAT(checked("SELECT c.a, COUNT(1) FROM c"), HasSubstr("SC2102"));
    EXPECT_EQ(checked("SELECT (SELECT VALUE {a: c.x, n: COUNT(1)} FROM t IN c.t) FROM c"), "");
    EXPECT_EQ(checked("SELECT VALUE MAKELIST(c.a)[0] FROM c"), "");
}

TEST(Checks, GroupBy) {
    EXPECT_EQ(
        checked("SELECT c.a, c.a.b, c['a'] AS x, UPPER(c.a), 5, COUNT(c.z) FROM c GROUP BY c.a"),
        "");
    EXPECT_EQ(checked("SELECT c.b FROM c GROUP BY c.a"),
              error("SC2102",
                    7,
                    10,
                    "Property reference 'c.b' is invalid in the select list because it is not "
                    "contained in either an aggregate function or the GROUP BY clause."));
    EXPECT_EQ(checked("SELECT upper(c.a) FROM c GROUP BY UPPER(c.a)"), "");
    EXPECT_EQ(checked("SELECT UPPER(c.a)[0] FROM c GROUP BY UPPER(c.a)"), "");
    EXPECT_THAT(checked("SELECT {'x': c.a.b} FROM c GROUP BY c.a.c"), HasSubstr("'c.a.b'"));
    EXPECT_EQ(checked("SELECT VALUE {'a': c.a, 'b': c.b}['b'] FROM c GROUP BY c.a, c.b"), "");
    EXPECT_EQ(checked("SELECT c.a FROM c GROUP BY c.a ORDER BY c.a"), "");
    EXPECT_THAT(checked("SELECT c.a FROM c GROUP BY c.a ORDER BY c.b"), HasSubstr("SC2102"));
    EXPECT_THAT(checked("SELECT c.a FROM c GROUP BY c.a ORDER BY COUNT(1)"),
                HasSubstr("ORDER BY clause"));
    // Long lists of deep keys that differ only at the end.
    std::string path = "c";
    for (int i = 0; i < 120; ++i) {
        path += ".a";
    }
    std::string items = path;
    std::string keys = path;
    for (int i = 0; i < 1000; ++i) {
        items += "," + path + " AS a" + std::to_string(i);
        keys += "," + path + ".b";
    }
    EXPECT_EQ(checked("SELECT " + items + " FROM c GROUP BY " + keys), "");
}

TEST(Checks, OrderBy) {
    const std::string no_path =
        R"({"errors":[{"severity":"Error","code":2206,"message":"Unsupported ORDER BY clause. )"
        R"(ORDER BY item expression could not be mapped to a document path."}]})";
    EXPECT_EQ(checked("SELECT * FROM c ORDER BY c.a.b[0]['x'] DESC, c.d"), "");
    EXPECT_EQ(checked("SELECT * FROM c ORDER BY UPPER(c.a)"), no_path);
    EXPECT_EQ(checked("SELECT * FROM c ORDER BY c"), no_path);
    EXPECT_EQ(checked("SELECT * FROM c ORDER BY 1"), no_path);
    EXPECT_EQ(checked("SELECT * FROM c.children ORDER BY children"), "");
    EXPECT_EQ(checked("SELECT VALUE r FROM (SELECT VALUE c FROM c) AS r ORDER BY r.x"), "");
    const std::string correlated =
        R"({"errors":[{"severity":"Error",)"
        R"("message":"Order-by over correlated collections is not supported."}]})";
    EXPECT_EQ(checked("SELECT t FROM c JOIN t IN c.t ORDER BY t.x"), correlated);
    EXPECT_EQ(checked("SELECT t FROM t IN c.t ORDER BY t.x"), correlated);
    EXPECT_EQ(checked("SELECT t FROM c JOIN t IN c.t ORDER BY t"), correlated);
    EXPECT_EQ(checked("SELECT t FROM c JOIN (SELECT VALUE 1) t ORDER BY t"), no_path);
    EXPECT_EQ(checked("SELECT t FROM c JOIN t IN c.t ORDER BY c.x"), "");
    EXPECT_EQ(checked("SELECT VALUE AVG(t.a) FROM r JOIN t IN r.t ORDER BY t.name"), "");
    EXPECT_EQ(checked("SELECT c.a AS x FROM c ORDER BY x"), unresolved("x", 32, 33));
}

TEST(Projection, Names) {
    const auto query =
        parse("SELECT c.a.b, c, 1, c['x y'], c[0], c.a + 1, f(1) AS g, @p FROM c").take();
    EXPECT_EQ(output_names(query->select),
              (std::vector<std::string>{"b", "c", "$1", "x y", "$2", "$3", "g", "$4"}));
}

}  // namespace checks_test
}  // namespace orrery::sql
