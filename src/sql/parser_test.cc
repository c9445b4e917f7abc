#include "sql/parser.h"

#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "model/limits.h"
#include "sql/printer.h"
#include "sql/structure.h"

namespace orrery::sql {
namespace parser_test {

using ::testing::HasSubstr;

// The query printed, or the error's message.
std::string parsed(std::string_view text) {
    const auto query = parse(text);
    if (!query) return query.error().message();
    std::string printed = print(**query);
    const auto again = parse(printed);
    EXPECT_TRUE(again) << printed;
    if (again) {
        EXPECT_TRUE(same_structure(**query, **again)) << printed;
    }
    return printed;
}

// The one expression of SELECT VALUE.
std::string value(std::string_view expression) {
    const std::string text = parsed("SELECT VALUE " + std::string(expression));
    return text.starts_with("SELECT VALUE ") ? text.substr(13) : text;
}

std::string error(const std::string& code, int start, int end, const std::string& message) {
    return R"({"errors":[{"severity":"Error","location":{"start":)" + std::to_string(start) +
           ",\"end\":" + std::to_string(end) + "},\"code\":\"" + code + "\",\"message\":\"" +
           message + "\"}]}";
}

std::string near(const std::string& word, int start, int end) {
    return error("SC1001", start, end, "Syntax error, incorrect syntax near '" + word + "'.");
}

TEST(Parser, Precedence) {
    EXPECT_EQ(value("1 = 2 & 3 != 4"), "((1 = (2 & 3)) != 4)");
    EXPECT_EQ(value("c.flags & 4 = 4"), "((c.flags & 4) = 4)");
    EXPECT_EQ(value("1 | 2 + 3"), "((1 | 2) + 3)");
    EXPECT_EQ(value("1 + 2 | 3 ^ 4 & 5 * 6"), "((((1 + 2) | 3) ^ 4) & (5 * 6))");
    EXPECT_EQ(value("'a' || 'b' = 'ab'"), "((\"a\" || \"b\") = \"ab\")");
    EXPECT_EQ(value("1 + 2 || 3 - 4"), "((1 + 2) || (3 - 4))");
    EXPECT_EQ(value("1 || 2 OR 3 || 4"), "((1 || 2) OR (3 || 4))");
    EXPECT_EQ(value("1 ? 2 ?? 3 : 4"), "(1 ? (2 ?? 3) : 4)");
    EXPECT_EQ(value("1 < 2 < 3"), "((1 < 2) < 3)");
    EXPECT_EQ(value("1 = 2 < 3"), "((1 = 2) < 3)");
    EXPECT_EQ(value("1 << 2 < 3 >> 4"), "(((1 << 2) < 3) >> 4)");
    EXPECT_EQ(value("1 << 2 + 3 * 4"), "(1 << (2 + (3 * 4)))");
    EXPECT_EQ(value("1 - 2 - 3"), "((1 - 2) - 3)");
    EXPECT_EQ(value("a OR b AND c OR d"), "((a OR (b AND c)) OR d)");
    EXPECT_EQ(value("a ? b : c ? d : e"), "(a ? b : (c ? d : e))");
    EXPECT_EQ(value("a ?? b OR c"), "(a ?? (b OR c))");
    EXPECT_EQ(value("a ?? b ?? c"), "(a ?? (b ?? c))");
    EXPECT_EQ(value("-a.b + ~c[0]"), "((-a.b) + (~c[0]))");
    EXPECT_EQ(value("a >>> 1 <> b"), "((a >>> 1) != b)");
}

TEST(Parser, NotIsLooserThanPredicatesAndTighterThanAnd) {
    EXPECT_EQ(value("NOT a = 1"), "(NOT (a = 1))");
    EXPECT_EQ(value("NOT a IN (1)"), "(NOT (a IN (1)))");
    EXPECT_EQ(value("NOT IS_DEFINED(c.x) OR c.y = 1"), "((NOT IS_DEFINED(c.x)) OR (c.y = 1))");
    EXPECT_EQ(value("NOT NOT a AND b"), "((NOT (NOT a)) AND b)");
    EXPECT_EQ(value("a = NOT b"), "(a = (NOT b))");
}

TEST(Parser, Predicates) {
    EXPECT_EQ(value("a IN (1, 'x', @p)"), "(a IN (1, \"x\", @p))");
    EXPECT_EQ(value("a NOT IN (1)"), "(a NOT IN (1))");
    EXPECT_EQ(value("a BETWEEN 1 AND 2 AND b"), "((a BETWEEN 1 AND 2) AND b)");
    EXPECT_EQ(value("a NOT BETWEEN 1 + 1 AND 2"), "(a NOT BETWEEN (1 + 1) AND 2)");
    EXPECT_EQ(value("a BETWEEN 1 | 2 AND 3 = 4"), "(a BETWEEN (1 | 2) AND (3 = 4))");
    EXPECT_EQ(value("a LIKE 'x%' || b ESCAPE '!'"), "(a LIKE (\"x%\" || b) ESCAPE \"!\")");
    EXPECT_EQ(value("a NOT LIKE @p"), "(a NOT LIKE @p)");
    EXPECT_EQ(value("a IN ()"), near(")", 19, 20));
    EXPECT_EQ(value("a IN @p"), near("@p", 18, 20));
    EXPECT_EQ(value("a IN (1) = true"), near("=", 22, 23));
    EXPECT_EQ(value("a IN (1) IN (2)"), near("IN", 22, 24));
    EXPECT_EQ(value("a NOT b"), near("b", 19, 20));
}

TEST(Parser, Primaries) {
    EXPECT_EQ(value("[1, {'a': 2, b: [], \"c d\": {}}]"), R"([1, {"a": 2, "b": [], "c d": {}}])");
    EXPECT_EQ(value("{1: 2}"), near("1", 14, 15));
    EXPECT_EQ(value("[1,]"), near("]", 16, 17));
    EXPECT_EQ(value("{\"a\": 1,}"), near("}", 21, 22));
    EXPECT_EQ(value("TRUE"), "true");
    EXPECT_EQ(value("Undefined"), "undefined");
    EXPECT_EQ(value("{\"x\": 1}[\"x\"][0][@p]"), R"({"x": 1}["x"][0][@p])");
    EXPECT_EQ(value("c.a['b c'][1 + 1]"), R"(c.a["b c"][(1 + 1)])");
    EXPECT_EQ(value("Left(c.a, 2)"), "Left(c.a, 2)");
    EXPECT_EQ(value("UDF.f(1, [2])"), "udf.f(1, [2])");
    EXPECT_EQ(value("pi()"), "pi()");
    EXPECT_EQ(value("NaN + Infinity"), "(NaN + Infinity)");
    EXPECT_EQ(value("(5).x"), "(5).x");
    EXPECT_EQ(value("(-5)[0]"), "(-5)[0]");
    EXPECT_EQ(value("- -5"), "(- -5)");
    EXPECT_EQ(value("-(-a)"), "(-(-a))");
    EXPECT_EQ(value("first + all.x"), "(first + all.x)");
}

TEST(Parser, NumbersPrintAsResultsDo) {
    EXPECT_EQ(value("[1.0, .5, 0x10, 1e3, 1e20, 0.1, 1e999]"),
              "[1, 0.5, 16, 1000, 1e+20, 0.1, Infinity]");
    EXPECT_EQ(value("-0.0056763873435556889"), "-0.0056763873435556889");
}

TEST(Parser, StringsPrintInDoubleQuotes) {
    EXPECT_EQ(value(R"('say "hi" \u00e9')"), R"("say \"hi\" é")");
}

TEST(Parser, ReservedWordsAreNotNames) {
    EXPECT_EQ(value("c.value"), near("value", 15, 20));
    EXPECT_EQ(value("c.LEFT"), near("LEFT", 15, 19));
    EXPECT_EQ(value("c['value']"), "c[\"value\"]");
    EXPECT_EQ(parsed("SELECT c.x AS value FROM c"), near("value", 14, 19));
    EXPECT_EQ(parsed("SELECT c.rank AS rank FROM c"), "SELECT c.rank AS rank\nFROM c");
    EXPECT_EQ(value("LEFT"), near("LEFT", 13, 17));
    EXPECT_EQ(value("udf.select(1)"), near("select", 17, 23));
}

TEST(Parser, Clauses) {
    EXPECT_EQ(parsed("select distinct top 5 c.a x, c.b as y from root c join t in c.tags "
                     "where t = 'q' group by c.a, c.b order by c.a, c.b desc offset 1 limit @l"),
              "SELECT DISTINCT TOP 5 c.a AS x, c.b AS y\nFROM root AS c\nJOIN t IN c.tags\n"
              "WHERE (t = \"q\")\nGROUP BY c.a, c.b\nORDER BY c.a, c.b DESC\nOFFSET 1 LIMIT @l");
    EXPECT_EQ(parsed("SELECT * FROM c.a['b c'][0].d AS x"),
              "SELECT *\nFROM c.a[\"b c\"][0].d AS x");
    EXPECT_EQ(parsed("SELECT VALUE 1"), "SELECT VALUE 1");
    EXPECT_EQ(parsed("SELECT TOP @n * FROM c ORDER BY c.a ASC"),
              "SELECT TOP @n *\nFROM c\nORDER BY c.a ASC");
}

TEST(Parser, SubqueriesPrintOnTheirOwnLines) {
    EXPECT_EQ(parsed("SELECT EXISTS(SELECT 1) FROM c JOIN (SELECT VALUE x FROM x IN c.a) y"),
              "SELECT EXISTS(\n    SELECT 1\n)\nFROM c\nJOIN (\n    SELECT VALUE x\n"
              "    FROM x IN c.a\n) AS y");
    EXPECT_EQ(parsed("SELECT (SELECT ARRAY(SELECT 1))"),
              "SELECT (\n    SELECT ARRAY(\n        SELECT 1\n    )\n)");
    EXPECT_EQ(parsed("SELECT all(SELECT 1), FIRST (SELECT 2), last(SELECT 3)"),
              "SELECT ALL(\n    SELECT 1\n), FIRST(\n    SELECT 2\n), LAST(\n    SELECT 3\n)");
    EXPECT_EQ(parsed("SELECT ((SELECT 1) + 2)"), "SELECT ((\n    SELECT 1\n) + 2)");
    EXPECT_EQ(parsed("SELECT * FROM x IN (SELECT VALUE c.a FROM c)"),
              "SELECT *\nFROM x IN (\n    SELECT VALUE c.a\n    FROM c\n)");
    EXPECT_EQ(value("EXISTS(1)"), near("1", 20, 21));
}

TEST(Parser, OrderByRank) {
    EXPECT_EQ(parsed("SELECT * FROM c ORDER BY RANK FullTextScore(c.t, 'a') DESC"),
              "SELECT *\nFROM c\nORDER BY RANK FullTextScore(c.t, \"a\") DESC");
    EXPECT_EQ(parsed("SELECT * FROM rank ORDER BY rank.x"), "SELECT *\nFROM rank\nORDER BY rank.x");
    EXPECT_EQ(parsed("SELECT * FROM c ORDER BY RANK c.x"), near("c", 30, 31));
    EXPECT_EQ(parsed("SELECT * FROM c ORDER BY RANK f(c.x) = 1"), near("=", 37, 38));
}

TEST(Parser, Explain) {
    EXPECT_EQ(parsed("explain SELECT 1"), "EXPLAIN SELECT 1");
    EXPECT_EQ(parsed("SELECT c.explain FROM explain"), "SELECT c.explain\nFROM explain");
    EXPECT_EQ(parsed("EXPLAIN"), near("EXPLAIN", 0, 7));
}

TEST(Parser, SyntaxErrors) {
    EXPECT_EQ(parsed(""), error("SC1002", 0, 0, "Syntax error, unexpected end-of-file."));
    EXPECT_EQ(parsed("SELECT * FROM c WHERE "),
              error("SC1002", 22, 22, "Syntax error, unexpected end-of-file."));
    EXPECT_EQ(parsed("SELECT * FROM c;"),
              error("SC1010", 15, 16, "Syntax error, invalid token ';'."));
    EXPECT_EQ(parsed("SELECT \"abc"),
              error("SC1012", 7, 8, "Syntax error, invalid string literal token '\\\"'."));
    EXPECT_EQ(parsed("SELECT /* x */ 1"), near("/", 7, 8));
    EXPECT_EQ(parsed("SELECTVALUE 1"), near("SELECTVALUE", 0, 11));
    EXPECT_EQ(parsed("SELECT * FROM c WHERE c.x IS NULL"), near("IS", 26, 28));
    EXPECT_EQ(parsed("SELECT * FROM c INNER JOIN d"), near("INNER", 16, 21));
    EXPECT_EQ(parsed("SELECT c.a FROM c GROUP BY c.a HAVING 1"), near("HAVING", 31, 37));
    EXPECT_EQ(parsed("SELECT * FROM c JOIN t IN f(c.m)"), near("(", 27, 28));
    EXPECT_EQ(parsed("SELECT * FROM @x"), near("@x", 14, 16));
    EXPECT_EQ(parsed("SELECT *, 1 FROM c"), near(",", 8, 9));
    EXPECT_EQ(parsed("SELECT VALUE * FROM c"), near("*", 13, 14));
    EXPECT_EQ(parsed("SELECT TOP 1 DISTINCT c.a FROM c"), near("DISTINCT", 13, 21));
    EXPECT_EQ(parsed("DELETE FROM c"), near("DELETE", 0, 6));
    EXPECT_THAT(parsed("SELECT '\xff'"), HasSubstr("not valid UTF-8"));
}

TEST(Parser, Counts) {
    const std::string top = "The count value provided for a TOP clause must be an integer.";
    EXPECT_EQ(parsed("SELECT TOP -1 c.name FROM c"), near("-", 11, 12));
    EXPECT_EQ(parsed("SELECT TOP 4294967296 c.name FROM c"), error("SC2060", 11, 21, top));
    EXPECT_EQ(parsed("SELECT TOP 1.5 c.name FROM c"), error("SC2060", 11, 14, top));
    EXPECT_EQ(parsed("SELECT TOP 4294967295 1"), "SELECT TOP 4294967295 1");
    EXPECT_EQ(parsed("SELECT TOP 'a' 1"), near("'a'", 11, 14));
    EXPECT_EQ(parsed("SELECT * FROM c OFFSET 1"),
              error("SC1002", 24, 24, "Syntax error, unexpected end-of-file."));
    EXPECT_EQ(parsed("SELECT * FROM c LIMIT 1 OFFSET 1"), near("LIMIT", 16, 21));
    EXPECT_EQ(parsed("SELECT * FROM c OFFSET 1.5 LIMIT 1"), near("1.5", 23, 26));
    EXPECT_EQ(parsed("SELECT c.name FROM c OFFSET 4294967296 LIMIT 10"),
              error("SC2062", 28, 38, "The OFFSET count value exceeds the maximum allowed value."));
    EXPECT_EQ(parsed("SELECT c.name FROM c OFFSET 10 LIMIT 4294967296"),
              error("SC2061", 37, 47, "The LIMIT count value exceeds the maximum allowed value."));
}

std::string repeated(std::string_view text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) {
        out += text;
    }
    return out;
}

TEST(Parser, Limits) {
    namespace limits = model::limits;
    EXPECT_THAT(parsed("SELECT '" + std::string(limits::kQueryTextUnitsMax, 'x') + "'"),
                HasSubstr("SC3020"));
    EXPECT_THAT(parsed("SELECT 1 FROM c" + repeated(" JOIN x IN c.x", limits::kQueryJoinsMax)),
                HasSubstr("FROM c"));
    EXPECT_THAT(parsed("SELECT 1 FROM c" + repeated(" JOIN x IN c.x", limits::kQueryJoinsMax + 1)),
                HasSubstr("SC3002"));
    EXPECT_THAT(
        parsed("SELECT [" + repeated("udf.f(),", limits::kQueryUdfCallsMax) + "udf.f()]"),
        HasSubstr("maximum number of user-defined function calls. The allowed limit is 10."));
}

TEST(Parser, DepthIsLimited) {
    const std::size_t max = model::limits::kQueryDepthMax;
    const auto nested = [](std::string_view open, std::string_view close, std::size_t times) {
        return std::string(value(repeated(open, times) + "@p" + repeated(close, times)));
    };
    for (const auto& [open, close] :
         std::vector<std::pair<std::string, std::string>>{{"[", "]"},
                                                          {"f(", ")"},
                                                          {"(1 + ", ")"},
                                                          {"- ", ""},
                                                          {"", " + 1"},
                                                          {"", ".x"},
                                                          {"(SELECT VALUE ", ")"},
                                                          {"1 ? 2 : ", ""},
                                                          {"NOT ", ""},
                                                          {"{a: ", "}"}}) {
        EXPECT_THAT(nested(open, close, max - 3), testing::Not(HasSubstr("SC1001"))) << open;
        EXPECT_THAT(nested(open, close, max), HasSubstr("nested too deeply")) << open;
        EXPECT_THAT(nested(open, close, 20000), HasSubstr("nested too deeply")) << open;
    }
    EXPECT_THAT(parsed("SELECT * FROM " + repeated("(SELECT * FROM ", 20000)),
                HasSubstr("nested too deeply"));
}

TEST(Parser, LongChainsAreNotDeep) {
    EXPECT_EQ(value(std::string(200000, '(') + "1" + std::string(200000, ')')), "1");
    const std::string flat = "SELECT VALUE a" + repeated(" OR a", 20000);
    const auto query = parse(flat);
    ASSERT_TRUE(query);
    const auto& logical = std::get<ast::Logical>((*query)->select.items[0].expression->node);
    EXPECT_EQ(logical.terms.size(), 20001U);
    const std::string printed = print(**query);
    const auto again = parse(printed);
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_TRUE(same_structure(**query, **again));
    EXPECT_EQ(value("a AND (b AND c)"), "(a AND (b AND c))");
}

TEST(Parser, LocationsOfClauses) {
    const auto query = parse("SELECT TOP 5 c.a FROM c ORDER BY c.a DESC OFFSET 1 LIMIT 2").take();
    EXPECT_EQ(query->select.top_location, (Location{7, 12}));
    EXPECT_EQ(query->select.location, (Location{13, 16}));
    EXPECT_EQ(query->order_by_location, (Location{24, 41}));
    EXPECT_EQ(query->offset_limit->location, (Location{42, 58}));
    EXPECT_EQ(query->location, (Location{0, 58}));
}

}  // namespace parser_test
}  // namespace orrery::sql
