// How queries run: which access path is chosen, and that it reads no more than necessary. Results
// are tested in tests/golden/sql.

#include "service/queries.h"

#include <gmock/gmock.h>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/hash.h"
#include "service/test_support.h"

namespace orrery::service {
namespace queries_test {

using testing::HasSubstr;
using testing_support::Asked;
using testing_support::code_of;
using testing_support::must;
using testing_support::parsed;
using testing_support::ServiceTest;

// One UDF, even(n), that counts how often it is called.
class Even : public sql::UdfCaller {
public:
    Result<std::optional<std::size_t>> find(std::string_view name) override {
        return name == "even" ? std::optional<std::size_t>(0) : std::nullopt;
    }
    Result<sql::Value> call(std::size_t /*udf*/,
                            std::span<const sql::Value> arguments,
                            sql::Arena& /*arena*/) override {
        ++calls;
        if (fails) return Error(ErrorCode::kTimeout, "it took too long");
        if (!arguments[0].is_number()) return sql::Value::undefined();
        return sql::Value::boolean(arguments[0].number().integer() % 2 == 0);
    }
    int calls = 0;
    bool fails = false;
};

class QueriesTest : public ServiceTest {
protected:
    static constexpr int kItems = 400;

    QueriesTest() {
        container_ = services_.container(
            R"({"indexingPolicy":{"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/no/?"}],
                "compositeIndexes":[[{"path":"/city"},{"path":"/n","order":"descending"}]]}})");
        for (int i = 0; i < kItems; ++i) {
            const std::string rare = i == 7 ? R"(,"rare":true)" : "";
            const auto made = services_.create(
                container_,
                fmt::format(
                    R"({{"id":"{0}","pk":"p{1}","n":{0},"no":{0},"city":"c{2}","tags":["t{3}"]{4}}})",
                    i,
                    i % 3,
                    i % 2,
                    i % 50,
                    rare));
            EXPECT_TRUE(made.answer);
        }
    }

    Result<QueryAnswer> run(std::string_view text) {
        json::Value body{json::Value::Object()};
        body.set("query", text);
        Request request;
        request.range_id = "0";
        Asked asked(request);
        auto answer = services_.queries->run(asked, {}, *container_, {.body = body.text()}, &even_);
        metrics_ = asked.context.receipt.metrics;
        return answer;
    }

    // "index lookup 1/1": the access, the items read, the rows.
    std::string way(std::string_view text) {
        const QueryAnswer answer = must(run(text));
        return fmt::format("{} {}/{}",
                           name_of(answer.access.kind),
                           metrics_.counters.items_read,
                           metrics_.counters.rows);
    }

    // The ids of all rows, read page by page.
    std::string ids(std::string_view text, std::string_view page_size) {
        json::Value body{json::Value::Object()};
        body.set("query", text);
        Request request;
        request.range_id = "0";
        request.max_item_count = page_size;
        std::string out;
        std::optional<std::string> continuation;
        do {
            request.continuation = continuation;
            const QueryAnswer answer = must(services_.queries->run(
                Asked(request), {}, *container_, {.body = body.text()}, &even_));
            if (!answer.page.elements.empty()) out += answer.page.elements + ",";
            continuation = answer.page.continuation;
        } while (continuation);
        return out;
    }

    Metrics metrics_;  // of the last query
    catalog::ContainerPtr container_;
    Even even_;
};

TEST_F(QueriesTest, IndexNarrowsTheItemsRead) {
    EXPECT_EQ(way("SELECT * FROM c WHERE c.n = 5"), "index lookup 1/1");
    EXPECT_EQ(way("SELECT * FROM c WHERE c.n IN (5, 6, 900)"), "index lookup 2/2");
    EXPECT_EQ(way("SELECT * FROM c WHERE c.city = 'c1' AND c.n = 5"), "index lookup 1/1");
    EXPECT_EQ(way("SELECT * FROM c WHERE c.n = 5 OR c.n = 6"), "index lookup 2/2");
    EXPECT_EQ(way("SELECT * FROM c WHERE c.n > 397"), "index lookup 2/2");
    // Each bound alone matches many items.
    EXPECT_EQ(way("SELECT * FROM c WHERE c.n > 299 AND c.n < 302"), "index lookup 2/2");
    EXPECT_EQ(way("SELECT * FROM c WHERE c.n BETWEEN 300 AND 301"), "index lookup 2/2");
    EXPECT_EQ(way("SELECT * FROM c WHERE c.n < 3 AND c.n > 5"), "nothing 0/0");
    EXPECT_EQ(way("SELECT * FROM c WHERE ARRAY_CONTAINS(c.tags, 't7')"), "index lookup 8/8");
    EXPECT_EQ(way("SELECT c.id FROM c JOIN t IN c.tags WHERE t = 't7'"), "index lookup 8/8");
    EXPECT_EQ(way("SELECT * FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 't7')"),
              "index lookup 8/8");
    EXPECT_EQ(way("SELECT * FROM c WHERE IS_DEFINED(c.rare)"), "index lookup 1/1");
    EXPECT_EQ(way("SELECT * FROM c WHERE STARTSWITH(c.id, '39')"), "index lookup 11/11");
    EXPECT_EQ(way("SELECT * FROM c WHERE c.nowhere = 1"), "index lookup 0/0");
    EXPECT_EQ(way("SELECT * FROM c WHERE c.n = 5 AND false"), "nothing 0/0");
}

TEST_F(QueriesTest, WalksTheIndexForManyMatches) {
    EXPECT_EQ(way("SELECT TOP 3 * FROM c WHERE c.n >= 0"), "index walk 3/3");
    // Without TOP, one extra item is read to learn whether there is a next page.
    EXPECT_EQ(way("SELECT TOP 3 * FROM c WHERE c.pk > 'a' AND c.city > 'a'"), "index walk 3/3");
    EXPECT_EQ(way("SELECT * FROM c WHERE CONTAINS(c.id, '39')"), "index walk 14/14");
    EXPECT_EQ(way("SELECT * FROM c WHERE c.no = 5"), "scan 400/1") << "the path is not indexed";
}

TEST_F(QueriesTest, SortingWalksTheIndex) {
    EXPECT_EQ(way("SELECT TOP 3 * FROM c ORDER BY c.n"), "ordered index walk 3/3");
    EXPECT_EQ(way("SELECT TOP 3 * FROM c ORDER BY c.n DESC"), "ordered index walk 3/3");
    EXPECT_EQ(way("SELECT TOP 3 * FROM c WHERE c.n > 10 ORDER BY c.n"), "ordered index walk 3/3");
    EXPECT_EQ(way("SELECT TOP 3 * FROM c ORDER BY c.city, c.n DESC"), "ordered index walk 3/3");
    EXPECT_EQ(way("SELECT TOP 3 * FROM c ORDER BY c.city DESC, c.n"), "ordered index walk 3/3");
    // Sorting few items is cheaper than walking the index; they are read again for output.
    EXPECT_EQ(way("SELECT * FROM c WHERE ARRAY_CONTAINS(c.tags, 't7') ORDER BY c.n"), "sort 16/8");
    EXPECT_EQ(code_of(run("SELECT * FROM c ORDER BY c.no")), "400");
    EXPECT_EQ(code_of(run("SELECT * FROM c ORDER BY c.n, c.city")), "400");
    const std::string two_rows = "(SELECT VALUE t FROM t IN (SELECT VALUE [1, 2]))";
    EXPECT_EQ(code_of(run("SELECT * FROM c WHERE ARRAY_CONTAINS(c.tags, 't7') AND " + two_rows +
                          " = 3 ORDER BY c.n")),
              "400")
        << "an error in a filter that matches no item";
}

// Elsewhere filters are evaluated on the items.
TEST_F(QueriesTest, ExactEntriesAnswerFilters) {
    const auto answers = [&](std::string_view where) {
        return must(run(fmt::format("SELECT c.id FROM c {}", where))).access.answers_filters;
    };
    EXPECT_TRUE(answers("WHERE c.n = 5"));
    EXPECT_TRUE(answers("WHERE c.n IN (5, 6)"));
    EXPECT_TRUE(answers("WHERE c.n = 5 AND c.city = 'c1'"));
    EXPECT_TRUE(answers("WHERE c.n > 397"));
    EXPECT_TRUE(answers("WHERE c.n >= 0"));
    EXPECT_TRUE(answers("WHERE c.n > 5 AND c.n < 300 ORDER BY c.n DESC"));
    EXPECT_TRUE(answers("WHERE STARTSWITH(c.city, 'c')"));
    const std::string long_text(300, 'x');
    for (const std::string where : {"WHERE c.n = 5 AND c.no = 5",
                                    "WHERE c.n = 5 AND c.city > 'a'",
                                    "WHERE c.n >= 0 AND c.city > 'a'",
                                    "WHERE c.n > 5 AND c.city > 'a' ORDER BY c.n",
                                    "WHERE c.n >= 5 AND c.n != 7 ORDER BY c.n",
                                    "WHERE c.n IN (5, 6) ORDER BY c.n",
                                    "WHERE ARRAY_CONTAINS(c.tags, 't7')",
                                    "WHERE c.tags = ['t7']",
                                    "WHERE c.city LIKE 'c_'",
                                    "WHERE NOT IS_DEFINED(c.rare)",
                                    "WHERE c.n % 2 = 1",
                                    "ORDER BY c.n"}) {
        EXPECT_FALSE(answers(where)) << where;
    }
    EXPECT_FALSE(answers("WHERE c.city = '" + long_text + "'"));
    EXPECT_FALSE(answers("WHERE c.city > '" + long_text + "'"));
    EXPECT_FALSE(answers("JOIN t IN c.tags WHERE c.n = 5"));

    Request request;
    request.indexing_directive = "Exclude";
    ASSERT_TRUE(services_.create(container_, R"({"id":"x","pk":"p0","n":5})", request).answer);
    EXPECT_FALSE(answers("WHERE c.n = 5")) << "an item that is not indexed may pass";
    EXPECT_EQ(way("SELECT * FROM c WHERE c.n = 5"), "index lookup 2/2");
    EXPECT_EQ(way("SELECT * FROM c WHERE c.n = 6"), "index lookup 2/1");
}

TEST_F(QueriesTest, CompositeIndexesServeFilters) {
    for (int i = 1000; i < 1600; ++i) {
        const auto made = services_.create(
            container_, fmt::format(R"({{"id":"{0}","pk":"p","n":{0},"city":"big"}})", i));
        ASSERT_TRUE(made.answer);
    }
    EXPECT_EQ(way("SELECT * FROM c WHERE c.city = 'big' AND c.n < 1003"), "index walk 3/3");
    EXPECT_EQ(way("SELECT * FROM c WHERE c.n BETWEEN 900 AND 1300 AND c.city = 'big'"),
              "index walk 301/301");
    EXPECT_EQ(way("SELECT TOP 3 * FROM c WHERE c.city = 'big' ORDER BY c.city, c.n DESC"),
              "ordered index walk 3/3");
    EXPECT_EQ(way("SELECT * FROM c WHERE c.city = 'big' AND c.n < 1003 ORDER BY c.city DESC, c.n"),
              "ordered index walk 3/3");
    // In the index, no equality precedes the range.
    EXPECT_EQ(way("SELECT TOP 1 * FROM c WHERE c.city > 'a' AND c.n > 1"), "index walk 1/1");
    const std::string filtered = "SELECT VALUE c.id FROM c WHERE c.city = 'big' AND c.n < 1005";
    EXPECT_EQ(ids(filtered, "-1"), R"("1004","1003","1002","1001","1000",)");
    EXPECT_EQ(ids(filtered, "2"), R"("1004","1003","1002","1001","1000",)");
    const std::string sorted =
        "SELECT VALUE c.id FROM c WHERE c.city = 'big' AND c.n < 1005 ORDER BY c.city DESC, c.n";
    EXPECT_EQ(ids(sorted, "-1"), R"("1000","1001","1002","1003","1004",)");
    EXPECT_EQ(ids(sorted, "2"), R"("1000","1001","1002","1003","1004",)");
}

TEST_F(QueriesTest, SortsFewMatchesAndWalksForMany) {
    const std::string few = "SELECT TOP 3 * FROM c WHERE c.pk = 'p1' ORDER BY c.n";
    EXPECT_EQ(way(few), "sort 136/3");
}

TEST_F(QueriesTest, AggregatesCoveredByTheIndexReadNoItems) {
    EXPECT_EQ(way("SELECT VALUE COUNT(1) FROM c"), "scan 0/1");
    EXPECT_EQ(way("SELECT VALUE COUNT(1) FROM c WHERE c.n > 10"), "index walk 0/1");
    EXPECT_EQ(way("SELECT c.city, COUNT(1) AS n FROM c GROUP BY c.city"), "index walk 0/2");
    EXPECT_EQ(way("SELECT DISTINCT VALUE c.city FROM c"), "index walk 0/2");
    EXPECT_EQ(way("SELECT c.rare, COUNT(1) AS n FROM c GROUP BY c.rare"), "index walk 0/2");
    const QueryAnswer ends = must(run("SELECT VALUE MAX(c.n) FROM c"));
    EXPECT_EQ(ends.page.elements, "399");
    EXPECT_EQ(metrics_.counters.index_entries_read, 2U);
}

TEST_F(QueriesTest, CountsItemsOfAPartitionKeyWithoutReadingThem) {
    const auto count = [&](const catalog::ContainerPtr& container, std::string_view key) {
        Request request;
        request.partition_key = key;
        Asked asked(request);
        const QueryAnswer answer = must(services_.queries->run(
            asked, {}, *container, {.body = R"({"query":"SELECT VALUE COUNT(1) FROM c"})"}));
        return fmt::format(
            "{} read {}", answer.page.elements, asked.context.receipt.metrics.counters.items_read);
    };
    EXPECT_EQ(count(container_, R"(["p0"])"), "134 read 0");
    EXPECT_EQ(count(container_, R"(["p2"])"), "133 read 0");
    EXPECT_EQ(count(container_, R"(["none"])"), "0 read 0");

    // Keys with the same first 100 characters have the same V1 hash.
    const auto old = services_.container(
        R"({"id":"old","partitionKey":{"paths":["/pk"],"kind":"Hash","version":1}})");
    const std::string long_key(100, 'x');
    const auto add = [&](int id, const std::string& key) {
        const auto made = services_.create(old, fmt::format(R"({{"id":"{}","pk":"{}"}})", id, key));
        ASSERT_TRUE(made.answer);
    };
    add(1, long_key + "a");
    add(2, long_key + "b");
    add(3, long_key + "b");
    add(4, "short");
    EXPECT_EQ(count(old, fmt::format(R"(["{}b"])", long_key)), "2 read 2");
    EXPECT_EQ(count(old, R"(["short"])"), "1 read 0");

    // Items may have expired.
    const auto expiring = services_.container(R"({"id":"expiring","defaultTtl":-1})");
    ASSERT_TRUE(services_.create(expiring, R"({"id":"1","pk":"p"})").answer);
    ASSERT_TRUE(services_.create(expiring, R"({"id":"2","pk":"p","ttl":5})").answer);
    EXPECT_EQ(count(expiring, R"(["p"])"), "2 read 2");
    clock_.advance(std::chrono::seconds(10));
    EXPECT_EQ(count(expiring, R"(["p"])"), "1 read 1");
}

TEST_F(QueriesTest, StopsReadingWhenThePageIsFull) {
    json::Value body{json::Value::Object()};
    body.set("query", "SELECT * FROM c WHERE c.n < 12");
    Request request;
    request.partition_key = R"(["p0"])";
    request.max_item_count = "4";
    Asked first(request);
    const QueryAnswer full =
        must(services_.queries->run(first, {}, *container_, {.body = body.text()}));
    EXPECT_EQ(full.page.count, 4U);
    EXPECT_EQ(first.context.receipt.metrics.counters.items_read, 4U);
    ASSERT_TRUE(full.page.continuation);
    request.continuation = full.page.continuation;
    Asked second(request);
    const QueryAnswer rest =
        must(services_.queries->run(second, {}, *container_, {.body = body.text()}));
    EXPECT_EQ(rest.page.count, 0U);
    EXPECT_EQ(second.context.receipt.metrics.counters.items_read, 1U)
        << "the last item of the page before";
    EXPECT_FALSE(rest.page.continuation);
    // Sorted queries and those on a range look for the next row.
    request.continuation = {};
    body.set("query", "SELECT * FROM c WHERE c.n < 12 ORDER BY c.n");
    EXPECT_FALSE(
        must(services_.queries->run(Asked(request), {}, *container_, {.body = body.text()}))
            .page.continuation);
    request.partition_key = {};
    request.range_id = "0";
    body.set("query", "SELECT * FROM c WHERE c.n < 4");
    EXPECT_FALSE(
        must(services_.queries->run(Asked(request), {}, *container_, {.body = body.text()}))
            .page.continuation);
}

TEST_F(QueriesTest, CallsUdfsOnIndexMatchesOnly) {
    EXPECT_EQ(way("SELECT * FROM c WHERE udf.even(c.n)"), "scan 400/200");
    EXPECT_EQ(even_.calls, 400);
    even_.calls = 0;
    EXPECT_EQ(way("SELECT * FROM c WHERE udf.even(c.n) AND c.n < 4"), "index lookup 4/2");
    EXPECT_EQ(even_.calls, 4);
    EXPECT_EQ(way("SELECT * FROM c WHERE c.n = 5 OR udf.even(c.n)"), "scan 400/201");
    EXPECT_EQ(way("SELECT * FROM c WHERE c.rare = udf.even(c.n)"), "scan 400/0");
    EXPECT_EQ(
        must(run("SELECT VALUE COUNT(1) FROM c WHERE c.n > 10 AND udf.even(c.n)")).page.elements,
        "194");
    EXPECT_EQ(must(run("SELECT VALUE MAX(c.n) FROM c WHERE c.n < 100 AND NOT udf.even(c.n)"))
                  .page.elements,
              "99");
    EXPECT_EQ(must(run("SELECT udf.even(c.n) AS e, COUNT(1) AS n FROM c GROUP BY udf.even(c.n)"))
                  .page.elements,
              R"({"e":false,"n":200},{"e":true,"n":200})");
    for (const std::string_view page_size : {"-1", "1"}) {
        EXPECT_EQ(ids("SELECT VALUE c.id FROM c WHERE udf.even(c.n) AND c.n < 9 ORDER BY c.n DESC",
                      page_size),
                  R"("8","6","4","2","0",)");
        EXPECT_EQ(ids("SELECT VALUE c.id FROM c WHERE udf.even(c.n) AND "
                      "ARRAY_CONTAINS(c.tags, 't8') ORDER BY c.n",
                      page_size),
                  R"("8","58","108","158","208","258","308","358",)");
    }
}

TEST_F(QueriesTest, FailingUdfEndsTheQuery) {
    even_.fails = true;
    for (const std::string_view query :
         {"SELECT * FROM c WHERE udf.even(c.n)",
          "SELECT * FROM c WHERE udf.even(c.n) ORDER BY c.n",
          "SELECT * FROM c WHERE udf.even(c.n) AND ARRAY_CONTAINS(c.tags, 't7') ORDER BY c.n",
          "SELECT VALUE COUNT(1) FROM c WHERE c.n > 10 AND udf.even(c.n)",
          "SELECT DISTINCT VALUE udf.even(c.n) FROM c"}) {
        even_.calls = 0;
        const auto answer = run(query);
        ASSERT_FALSE(answer) << query;
        EXPECT_EQ(answer.error().code(), ErrorCode::kTimeout) << query;
        EXPECT_EQ(even_.calls, 1) << query;
    }
    EXPECT_EQ(code_of(run("SELECT VALUE udf.odd(c.n) FROM c")), "400");
}

TEST_F(QueriesTest, DetectsQueriesThatCallUdfs) {
    const auto asked = [](std::string_view text) {
        json::Value body{json::Value::Object()};
        body.set("query", text);
        return calls_udfs({.body = body.text()});
    };
    EXPECT_TRUE(asked("SELECT VALUE udf.f(1)"));
    EXPECT_TRUE(asked("SELECT * FROM c WHERE c.a IN (1, UDF.f())"));
    EXPECT_TRUE(asked("SELECT COUNT(1) FROM c GROUP BY udf.f(c.a)"));
    EXPECT_TRUE(asked("SELECT * FROM c JOIN (SELECT VALUE udf.f(c.a)) AS x"));
    EXPECT_TRUE(asked("SELECT EXISTS(SELECT 1 FROM t IN c.t WHERE udf.f(t)) FROM c"));
    EXPECT_TRUE(calls_udfs({.body = "{\"query\":\"SELECT VALUE \\u0075df.f(1)\"}"}));
    EXPECT_FALSE(asked("SELECT c.udf, 'udf.f(1)' FROM c"));
    EXPECT_FALSE(asked("SELECT * FROM c"));
    EXPECT_FALSE(asked("SELECT udf.f("));
    EXPECT_FALSE(calls_udfs({.body = "udf"}));
    EXPECT_TRUE(calls_udfs({.body = "SELECT udf.f()", .plain_text = true}));
}

TEST_F(QueriesTest, ExplainShowsThePlan) {
    const QueryAnswer answer = must(run("EXPLAIN SELECT * FROM c WHERE c.n = 5 AND c.no = 5"));
    ASSERT_EQ(answer.page.count, 1U);
    const json::Value plan = parsed(answer.page.elements);
    EXPECT_EQ(plan.find("access")->string(), "index lookup");
    EXPECT_EQ(plan.find("indexes")->find("paths")->text(), R"(["/n/?"])");
    EXPECT_EQ(plan.find("potentialIndexes")->find("paths")->text(), R"(["/no/?"])");
    EXPECT_EQ(plan.find("estimated")->find("items")->integer(), 1);
    EXPECT_EQ(plan.find("actual")->find("itemsRead")->integer(), 1);
}

TEST_F(QueriesTest, TokenIsValidOnlyForItsQuery) {
    const auto ask = [&](std::string_view text, std::optional<std::string_view> token) {
        json::Value body{json::Value::Object()};
        body.set("query", text);
        Request request;
        request.range_id = "0";
        request.max_item_count = "5";
        request.continuation = token;
        return services_.queries->run(Asked(request), {}, *container_, {.body = body.text()});
    };
    const std::string token = *must(ask("SELECT * FROM c", {})).page.continuation;
    EXPECT_TRUE(ask("SELECT * FROM c", token));
    EXPECT_EQ(code_of(ask("SELECT c.id FROM c", token)), "400");
    EXPECT_EQ(code_of(ask("SELECT * FROM c", token + "A")), "400");
    const std::string sorted = *must(ask("SELECT * FROM c ORDER BY c.n", {})).page.continuation;
    EXPECT_TRUE(ask("SELECT * FROM c WHERE c.n >= 4 ORDER BY c.n", sorted));
    EXPECT_EQ(code_of(ask("SELECT * FROM c ORDER BY c.n DESC", sorted)), "400");
}

// Requests that name no range: the server routes them.
class RoutedQueriesTest : public ServiceTest {
protected:
    RoutedQueriesTest() {
        container_ = services_.container("{}", 3);
        for (int i = 0; i < kItems; ++i) {
            const std::string item = fmt::format(R"({{"id":"{0}","pk":"p{0}"}})", i);
            EXPECT_TRUE(services_.create(container_, item).answer);
        }
    }

    static constexpr int kItems = 12;
    static constexpr std::string_view kQuery = "SELECT VALUE c.id FROM c";

    Result<QueryAnswer> ask(std::string_view page_size,
                            std::optional<std::string_view> token,
                            std::optional<std::string_view> range = {}) {
        json::Value body{json::Value::Object()};
        body.set("query", kQuery);
        Request request;
        request.max_item_count = page_size;
        request.continuation = token;
        request.range_id = range;
        QueryOptions options;
        options.cross_partition = true;
        Asked asked(request);
        auto answer = services_.queries->run(asked, options, *container_, {.body = body.text()});
        partitions_ = asked.context.receipt.metrics.partitions;
        return answer;
    }

    std::size_t partitions_ = 0;  // that the last query read
    catalog::ContainerPtr container_;
};

TEST_F(RoutedQueriesTest, ReturnsOneRangePerPage) {
    for (const std::string_view size : {"-1", "1", "2", "3"}) {
        std::set<std::string> ranges;
        std::size_t rows = 0;
        std::optional<std::string> token;
        do {
            const QueryAnswer answer = must(ask(size, token));
            EXPECT_EQ(partitions_, 1U);
            rows += answer.page.count;
            token = answer.page.continuation;
            if (!token) break;
            EXPECT_LE(token->size(), 1024U);
            ranges.insert(parsed(*token).find("range")->text());
        } while (true);
        EXPECT_EQ(rows, kItems) << size;
        EXPECT_GE(ranges.size(), 2U) << size;
    }
}

TEST_F(RoutedQueriesTest, WrapsATokenOfTheRange) {
    const std::string token = *must(ask("1", {})).page.continuation;
    const std::string inside = parsed(token).find("token")->string();
    EXPECT_EQ(must(ask("1", inside, "0")).page.elements, must(ask("1", token)).page.elements);
    EXPECT_EQ(code_of(ask("1", inside, "1")), "400");
    // The range is not for the client to choose.
    const std::string other = R"({"token":")" + inside + R"(","range":{"min":"","max":"FF"}})";
    EXPECT_EQ(code_of(ask("1", other)), "400");
}

TEST_F(RoutedQueriesTest, AcceptsTokensOfEarlierVersions) {
    const std::string scope =
        "query " + container_->rid.text() + " 0-2 " + std::string(as_bytes(sha256(kQuery)));
    const auto old = [&](std::uint32_t range) {
        return services_.signer->sign({.range_id = range, .resume = {}}, scope);
    };
    EXPECT_EQ(must(ask("-1", old(0))).page.elements, must(ask("-1", {}, "0")).page.elements);
    const QueryAnswer second = must(ask("-1", old(1)));
    EXPECT_EQ(second.page.elements, must(ask("-1", {}, "1")).page.elements);
    ASSERT_TRUE(second.page.continuation);
    EXPECT_TRUE(second.page.continuation->starts_with('{'));
    const QueryAnswer last = must(ask("-1", second.page.continuation));
    EXPECT_EQ(last.page.elements, must(ask("-1", {}, "2")).page.elements);
    EXPECT_FALSE(last.page.continuation);
}

}  // namespace queries_test
}  // namespace orrery::service
