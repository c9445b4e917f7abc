#include "sql/query_plan.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "json/value.h"
#include "sql/gateway_rules.h"
#include "sql/parser.h"
#include "sql/test_fold.h"

namespace orrery::sql {
namespace query_plan_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

model::PartitionKeyDefinition key_definition() {
    model::PartitionKeyDefinition out;
    out.path_texts = {"/key"};
    out.paths = {{"key"}};
    return out;
}

Result<QueryPlan> plan(const std::string& text, QueryFeatures features = QueryFeatures::all()) {
    TestFold fold({{"@two", "2"}, {"@text", "\"x\""}});
    const Fold function = fold.function();
    const auto key = key_definition();
    const auto query = parse(text).take();
    return make_query_plan(*query, {.partition_key = key, .fold = function, .features = features});
}

QueryInfo info(const std::string& text) {
    auto made = plan(text);
    EXPECT_TRUE(made) << made.error().message();
    return *made->info;
}

std::string rewritten(const std::string& text) { return info(text).rewritten_query; }

std::string error(const std::string& text, QueryFeatures features = QueryFeatures::all()) {
    const auto made = plan(text, features);
    return made ? std::string() : made.error().message();
}

TEST(QueryPlan, PlainQueriesAreNotRewritten) {
    for (const char* text : {"SELECT * FROM c",
                             "SELECT TOP 5 * FROM c",
                             "SELECT DISTINCT c.a FROM c",
                             "SELECT * FROM c WHERE c.key = 5 OFFSET 1 LIMIT 2",
                             "SELECT (SELECT VALUE COUNT(1) FROM t IN c.t) FROM c",
                             "SELECT TOP 2 5"}) {
        EXPECT_EQ(rewritten(text), "") << text;
    }
    EXPECT_EQ(info("SELECT TOP @two * FROM c").top, 2U);
    EXPECT_EQ(info("SELECT TOP 2 5").top, std::nullopt);
    EXPECT_TRUE(info("SELECT VALUE 5").has_select_value);
}

TEST(QueryPlan, OffsetAndLimit) {
    EXPECT_EQ(rewritten("SELECT * FROM c OFFSET @two LIMIT 3"),
              "SELECT *\nFROM c\nOFFSET 0 LIMIT 5");
    EXPECT_EQ(info("SELECT * FROM c OFFSET @two LIMIT 3").offset, 2U);
    EXPECT_EQ(info("SELECT * FROM c WHERE c.key = 5 OFFSET 1 LIMIT 2").offset, std::nullopt);
    EXPECT_EQ(rewritten("SELECT * FROM c OFFSET 4294967295 LIMIT 4294967295"),
              "SELECT *\nFROM c\nOFFSET 0 LIMIT 4294967295");
    EXPECT_EQ(rewritten("SELECT DISTINCT c.a FROM c WHERE c.key = 5 OFFSET 1 LIMIT 2"),
              "SELECT DISTINCT c.a\nFROM c\nWHERE (c.key = 5)");
}

TEST(QueryPlan, InvalidCountsAreRefused) {
    EXPECT_THAT(error("SELECT TOP @text * FROM c"), HasSubstr("SC2060"));
    EXPECT_THAT(error("SELECT TOP @missing * FROM c"), HasSubstr("SC2060"));
    EXPECT_THAT(error("SELECT * FROM c OFFSET @text LIMIT 1"), HasSubstr("SC2062"));
    EXPECT_THAT(error("SELECT * FROM c OFFSET 1 LIMIT @missing"), HasSubstr("SC2061"));
}

TEST(QueryPlan, OrderBy) {
    const QueryInfo ordered =
        info("SELECT TOP 3 c.x FROM c WHERE c.y = 1 AND c.z ORDER BY c.a, c.b DESC");
    EXPECT_THAT(ordered.order_by_expressions, ElementsAre("c.a", "c.b"));
    EXPECT_THAT(ordered.order_by_descending, ElementsAre(false, true));
    EXPECT_EQ(ordered.rewritten_query,
              "SELECT TOP 3 c._rid, [{\"item\": c.a}, {\"item\": c.b}] AS orderByItems, {\"x\": "
              "c.x} AS payload\nFROM c\nWHERE (((c.y = 1) AND c.z) AND "
              "({documentdb-formattableorderbyquery-filter}))\nORDER BY c.a, c.b DESC");
    EXPECT_THAT(rewritten("SELECT * FROM c ORDER BY c.a OFFSET 5 LIMIT 7"),
                HasSubstr("ORDER BY c.a\nOFFSET 0 LIMIT 12"));
    // A later page resumes by a filter and must not skip rows again.
    EXPECT_THAT(rewritten("SELECT * FROM c WHERE c.key = 1 ORDER BY c.a OFFSET 5 LIMIT 7"),
                HasSubstr("OFFSET 0 LIMIT 12"));
}

TEST(QueryPlan, DistinctAndOrderBy) {
    EXPECT_EQ(info("SELECT DISTINCT VALUE c.a FROM c ORDER BY c['a']").distinct,
              DistinctKind::kOrdered);
    EXPECT_EQ(info("SELECT DISTINCT c.a FROM c ORDER BY c.a").distinct, DistinctKind::kUnordered);
    EXPECT_EQ(rewritten("SELECT DISTINCT TOP 5 VALUE c.a FROM c ORDER BY c.a"),
              "SELECT c._rid, [{\"item\": c.a}] AS orderByItems, c.a AS payload\nFROM c\nWHERE "
              "(({documentdb-formattableorderbyquery-filter}) AND IS_DEFINED(c.a))\nORDER BY c.a");
}

TEST(QueryPlan, Groups) {
    const QueryInfo grouped =
        info("SELECT c.t, Min(c.x) AS low, COUNT(1) FROM c GROUP BY c.t ORDER BY c.t");
    EXPECT_THAT(grouped.group_by_aliases, ElementsAre("t", "low", "$1"));
    EXPECT_TRUE(grouped.order_by_expressions.empty());
    EXPECT_TRUE(grouped.aggregates.empty());
    EXPECT_EQ(grouped.rewritten_query,
              "SELECT [{\"item\": c.t}] AS groupByItems, {\"t\": c.t, \"low\": {\"item\": "
              "Min(c.x), \"item2\": {\"min\": Min(c.x), \"count\": COUNT(c.x)}}, \"$1\": "
              "{\"item\": COUNT(1)}} AS payload\nFROM c\nGROUP BY c.t\nORDER BY c.t");
    EXPECT_EQ(rewritten("SELECT DISTINCT TOP 2 VALUE c.t FROM c GROUP BY c.t OFFSET 1 LIMIT 1"),
              "SELECT [{\"item\": c.t}] AS groupByItems, c.t AS payload\nFROM c\nGROUP BY c.t");
}

TEST(QueryPlan, UdfsStayInTheText) {
    EXPECT_EQ(rewritten("SELECT udf.f(c.x) AS y FROM c WHERE udf.Is(c.a, [1]) ORDER BY c.a"),
              "SELECT c._rid, [{\"item\": c.a}] AS orderByItems, {\"y\": udf.f(c.x)} AS payload\n"
              "FROM c\nWHERE (udf.Is(c.a, [1]) AND "
              "({documentdb-formattableorderbyquery-filter}))\nORDER BY c.a");
    EXPECT_EQ(rewritten("SELECT udf.f(c.x) AS y, SUM(udf.g(c.n)) AS s FROM c GROUP BY udf.f(c.x)"),
              "SELECT [{\"item\": udf.f(c.x)}] AS groupByItems, {\"y\": udf.f(c.x), \"s\": "
              "{\"item\": SUM(udf.g(c.n))}} AS payload\nFROM c\nGROUP BY udf.f(c.x)");
    EXPECT_EQ(rewritten("SELECT VALUE udf.f(c.x) FROM c"), "");
}

TEST(QueryPlan, CompositionsAreRefused) {
    const std::string refused =
        R"({"Errors":["Compositions of aggregates and other expressions are not allowed."]})";
    EXPECT_EQ(error("SELECT VALUE AVG(c.a) / 2 FROM c"), refused);
    EXPECT_EQ(error("SELECT VALUE {'s': SUM(c.a)} FROM c"), refused);
    EXPECT_EQ(error("SELECT c.n, ABS(AVG(c.a)) FROM c GROUP BY c.n"), refused);
}

TEST(QueryPlan, GroupsHaveAtMostTwentyOneAggregates) {
    std::string list = "SELECT c.t";
    for (int i = 0; i < 21; ++i) {
        list += ", SUM(c.n" + std::to_string(i) + ")";
    }
    EXPECT_EQ(info(list + " FROM c GROUP BY c.t").alias_aggregates.size(), 22U);
    EXPECT_EQ(error(list + ", MAX(c.n) FROM c GROUP BY c.t"),
              R"({"Errors":["Cross partition query with GROUP BY has more than 21 aggregates."]})");
}

TEST(QueryPlan, CountsOfDistinctRows) {
    const std::string inner = "(SELECT DISTINCT VALUE c.a FROM c)";
    const QueryInfo counted = info("SELECT VALUE COUNT(1) FROM " + inner + " AS r");
    EXPECT_EQ(counted.dcount_alias, "");
    EXPECT_EQ(counted.distinct, DistinctKind::kUnordered);
    EXPECT_TRUE(counted.aggregates.empty());
    EXPECT_EQ(counted.rewritten_query, "SELECT DISTINCT VALUE c.a\nFROM c");
    EXPECT_EQ(info("SELECT COUNT(r) FROM " + inner + " AS r").dcount_alias, "$1");
    EXPECT_EQ(info("SELECT COUNT(1) AS n FROM " + inner).dcount_alias, "n");
    EXPECT_EQ(info("SELECT VALUE COUNT(1) FROM " + inner + " AS r WHERE r > 1").dcount_alias,
              std::nullopt);
    EXPECT_EQ(info("SELECT VALUE COUNT(r.x) FROM " + inner + " AS r").dcount_alias, std::nullopt);
}

TEST(QueryPlan, FeaturesMustBeDeclared) {
    const std::string head =
        "Query contains 1 or more unsupported features. Upgrade your SDK to a version that does "
        "support the requested features:";
    EXPECT_EQ(error("SELECT * FROM c ORDER BY c.a", {}),
              head + "\r\nQuery contained OrderBy, which the calling client does not support.");
    EXPECT_EQ(error("SELECT TOP 1 * FROM c ORDER BY c.a, c.b", {}),
              head +
                  "\r\nQuery contained MultipleOrderBy, which the calling client does not support."
                  "\r\nQuery contained Top, which the calling client does not support.");
    EXPECT_EQ(error("SELECT * FROM c", {}), "");
    const auto needs = [](const std::string& text, const char* feature) {
        EXPECT_THAT(error(text, {}), HasSubstr("contained " + std::string(feature) + ",")) << text;
    };
    needs("SELECT VALUE COUNT(1) FROM c", "Aggregate");
    needs("SELECT VALUE COUNTIF(c.a) FROM c", "CountIf");
    needs("SELECT VALUE MAKESET(c.a) FROM c", "ListAndSetAggregate");
    needs("SELECT DISTINCT c.a FROM c", "Distinct");
    needs("SELECT c.a FROM c GROUP BY c.a", "GroupBy");
    needs("SELECT MIN(c.b), MAX(c.b) FROM c GROUP BY c.a", "MultipleAggregates");
    needs("SELECT COUNT(1) FROM c GROUP BY c.a", "NonValueAggregate");
    needs("SELECT * FROM c OFFSET 1 LIMIT 1", "OffsetAndLimit");
    needs("SELECT VALUE COUNT(1) FROM (SELECT DISTINCT c.a FROM c)", "DCount");
    needs("SELECT * FROM c ORDER BY VectorDistance(c.a, [1])", "NonStreamingOrderBy");
    needs("SELECT TOP 1 * FROM c ORDER BY RANK FullTextScore(c.a, 'x')", "HybridSearch");
    EXPECT_EQ(error("SELECT COUNT(1) FROM c", {}),
              R"({"Errors":["Cross partition query only supports 'VALUE <AggregateFunc>' for )"
              R"(aggregates."]})");
}

TEST(QueryPlan, DeclaredFeatures) {
    const auto features = QueryFeatures::parse("OrderBy, Top,MultipleOrderBy,Something");
    EXPECT_TRUE(features.has(QueryFeature::kOrderBy));
    EXPECT_TRUE(features.has(QueryFeature::kTop));
    EXPECT_TRUE(features.has(QueryFeature::kMultipleOrderBy));
    EXPECT_FALSE(features.has(QueryFeature::kAggregate));
    EXPECT_FALSE(QueryFeatures::parse("").has(QueryFeature::kTop));
}

TEST(QueryPlan, Json) {
    EXPECT_EQ(to_json(*plan("SELECT * FROM c")),
              R"({"partitionedQueryExecutionInfoVersion":2,"queryInfo":{"distinctType":"None",)"
              R"("top":null,"offset":null,"limit":null,"orderBy":[],"orderByExpressions":[],)"
              R"("groupByExpressions":[],"groupByAliases":[],"aggregates":[],)"
              R"("groupByAliasToAggregateType":{},"rewrittenQuery":"","hasSelectValue":false,)"
              R"("dCountInfo":null,"hasNonStreamingOrderBy":false},"queryRanges":[{"min":"",)"
              R"("max":"FF","isMinInclusive":true,"isMaxInclusive":false}],)"
              R"("hybridSearchQueryInfo":null})");
    EXPECT_THAT(to_json(*plan("SELECT 1")),
                HasSubstr(R"({"min":"","max":"","isMinInclusive":true,"isMaxInclusive":true})"));
    EXPECT_THAT(to_json(*plan("SELECT c.t, COUNT(1) AS n FROM c GROUP BY c.t")),
                HasSubstr(R"("groupByAliasToAggregateType":{"t":null,"n":"Count"})"));
    EXPECT_THAT(to_json(*plan("SELECT COUNT(1) AS n FROM (SELECT DISTINCT c.a FROM c)")),
                HasSubstr(R"("dCountInfo":{"dCountAlias":"n"})"));
    for (const char* text : {"SELECT DISTINCT TOP 2 VALUE c.a FROM c WHERE c.key = 1 ORDER BY c.a",
                             "SELECT TOP 1 * FROM c ORDER BY RANK RRF(FullTextScore(c.a, 'x'), "
                             "VectorDistance(c.v, [1]), [1, -0.5])"}) {
        EXPECT_TRUE(json::Value::parse(to_json(*plan(text)))) << text;
    }
}

TEST(QueryPlan, VectorOrder) {
    const QueryInfo near = info("SELECT TOP 5 c.a FROM c ORDER BY VectorDistance(c.v, [1])");
    EXPECT_TRUE(near.has_non_streaming_order_by);
    EXPECT_THAT(near.order_by_descending, ElementsAre(true));
    const QueryInfo euclidean = info(
        "SELECT TOP 5 c.a FROM c ORDER BY VectorDistance(c.v, [1], true, "
        "{distanceFunction: 'Euclidean'})");
    EXPECT_THAT(euclidean.order_by_descending, ElementsAre(false));
}

TEST(QueryPlan, HybridSearch) {
    const auto made = plan(
        "SELECT TOP 100 * FROM c ORDER BY RANK RRF(FullTextScore(c.text, 'swim', 'run'), "
        "VectorDistance(c.image, [1, 2, 3]), [1, -0.3])");
    ASSERT_TRUE(made);
    EXPECT_FALSE(made->info);
    const HybridSearchInfo& hybrid = *made->hybrid_search;
    EXPECT_EQ(hybrid.global_statistics_query,
              "SELECT COUNT(1) AS documentCount, [{\"totalWordCount\": "
              "SUM(_FullTextWordCount(c.text)), \"hitCounts\": [COUNTIF(FullTextContains(c.text, "
              "\"swim\")), COUNTIF(FullTextContains(c.text, \"run\"))]}] AS fullTextStatistics\n"
              "FROM c");
    EXPECT_THAT(hybrid.weights, ElementsAre(1, 0.3));
    EXPECT_EQ(hybrid.take, 100U);
    ASSERT_EQ(hybrid.components.size(), 2U);
    EXPECT_EQ(hybrid.components[0].top, 200U);
    const std::string& vector = hybrid.components[1].rewritten_query;
    EXPECT_THAT(vector, HasSubstr("ORDER BY _VectorScore(c.image, [1, 2, 3]) ASC"));
    EXPECT_THAT(vector,
                HasSubstr("(_VectorScore(c.image, [1, 2, 3]) ?? 1.79769e+308)]} AS payload"));
}

GatewayAnswer answer(const std::string& text, const GatewayRequest& request) {
    TestFold fold;
    const Fold function = fold.function();
    const auto key = key_definition();
    const auto query = parse(text).take();
    const auto filter = partition_key_filter(*query, key, function);
    const auto out = decide_gateway_answer(*query, filter, key, request);
    EXPECT_TRUE(out) << out.error().message();
    return *out;
}

TEST(GatewayRules, AcrossPartitions) {
    const GatewayRequest enabled{.cross_partition_enabled = true};
    EXPECT_EQ(answer("SELECT * FROM c", {}), GatewayAnswer::kCrossPartitionDisabled);
    EXPECT_EQ(answer("SELECT c.a FROM c JOIN t IN c.t WHERE c.a IN (1)", enabled),
              GatewayAnswer::kServe);
    EXPECT_EQ(answer("SELECT * FROM c", {.cross_partition_enabled = true, .parallelize = true}),
              GatewayAnswer::kNeedsPlan);
    for (const char* text : {"SELECT VALUE COUNT(1) FROM c",
                             "SELECT TOP 1 * FROM c",
                             "SELECT * FROM c ORDER BY c.a",
                             "SELECT * FROM c OFFSET 1 LIMIT 1",
                             "SELECT DISTINCT c.a FROM c",
                             "SELECT c.a FROM c GROUP BY c.a",
                             "SELECT TOP 1 * FROM c WHERE c.key IN (1, 2)"}) {
        EXPECT_EQ(answer(text, enabled), GatewayAnswer::kNeedsPlan) << text;
    }
}

TEST(GatewayRules, OneKey) {
    const std::string where = " FROM c WHERE c.key = 1";
    EXPECT_EQ(answer("SELECT *" + where + " ORDER BY c.a", {}), GatewayAnswer::kServe);
    EXPECT_EQ(answer("SELECT VALUE COUNT(1) + 1" + where, {}), GatewayAnswer::kServe);
    EXPECT_EQ(answer("SELECT VALUE COUNT(1)" + where, {.continuation_expected = false}),
              GatewayAnswer::kNeedsPlan);
    EXPECT_EQ(answer("SELECT DISTINCT c.a" + where, {}), GatewayAnswer::kNeedsPlan);
    EXPECT_EQ(answer("SELECT c.a" + where + " GROUP BY c.a", {}), GatewayAnswer::kNeedsPlan);
    EXPECT_EQ(answer("SELECT 1", {}), GatewayAnswer::kServe);
}

TEST(GatewayRules, AggregatesThatCannotBeDistributed) {
    TestFold fold;
    const Fold function = fold.function();
    const auto key = key_definition();
    for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
             {"SELECT COUNT(1) FROM c", "VALUE <AggregateFunc>"},
             {"SELECT c.a, COUNT(1) FROM c GROUP BY c.a", "VALUE <AggregateFunc>"},
             {"SELECT VALUE COUNT(1) + 1 FROM c", "Compositions"}}) {
        const auto query = parse(text).take();
        const auto out = decide_gateway_answer(*query,
                                               partition_key_filter(*query, key, function),
                                               key,
                                               {.cross_partition_enabled = true});
        ASSERT_FALSE(out) << text;
        EXPECT_THAT(out.error().message(), HasSubstr(message));
    }
}

}  // namespace query_plan_test
}  // namespace orrery::sql
