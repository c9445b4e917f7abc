// Pages that end early, over a partition and its index: wherever they stop, the next one goes on
// there. And queries that exceed their memory.

#include <gmock/gmock.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/item_condition.h"
#include "service/item_selection.h"
#include "service/partition_source.h"
#include "service/surroundings.h"
#include "service/test_support.h"
#include "sql/checks.h"
#include "sql/parser.h"

namespace orrery::service {
namespace query_budget_test {

using testing::HasSubstr;
using testing_support::Asked;
using testing_support::code_of;
using testing_support::must;
using testing_support::ServiceTest;

class QueryBudgetTest : public ServiceTest {
protected:
    static constexpr int kItems = 40;

    QueryBudgetTest() {
        container_ = services_.container(
            R"({"indexingPolicy":{"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/no/?"}],
                "compositeIndexes":[[{"path":"/city"},{"path":"/n","order":"descending"}]]}})");
        for (int i = 0; i < kItems; ++i) {
            // Some strings share a longer prefix than the index keeps; some items have none.
            const std::string text =
                i % 3 == 0 ? "" : fmt::format(R"(,"text":"{}{}")", std::string(300, 'x'), i % 5);
            create(fmt::format(
                R"({{"id":"{0}","pk":"p{1}","n":{2},"no":{0},"city":"c{3}","tags":["t{4}","u"]{5}}})",
                i,
                i % 3,
                (i * 7) % kItems,
                i % 2,
                i % 4,
                text));
        }
    }

    void create(const std::string& body, const Request& request = {}) {
        ASSERT_TRUE(services_.create(container_, body, request).answer) << body;
    }

    struct Outcome {
        std::string rows;
        std::string access;
        std::size_t pages = 0;
    };

    // Runs a query to its end. Each page ends after so many looks at the clock, 0 for never.
    Outcome run(std::string_view text, std::int64_t looks_per_page, std::string_view key = {}) {
        const auto syntax = must(sql::parse(text));
        must(sql::check_query(*syntax,
                              {.find_function = sql::find_function, .allow_unsupported = false}));
        sql::Budget unlimited;
        const sql::BindingContext context{
            .parameters = {}, .computed = {}, .surroundings = surroundings_at(clock_, unlimited)};
        const sql::Prepared prepared = must(sql::bind(*syntax, context));
        Outcome out;
        sql::Resume from;
        while (true) {
            sql::Budget budget(limits(looks_per_page));
            sql::Surroundings surroundings = context.surroundings;
            surroundings.budget = &budget;
            const auto source = open(key);
            const auto page = must(sql::run_page(prepared,
                                                 *source,
                                                 surroundings,
                                                 {.resume = from},
                                                 {.rows_max = 1000, .bytes_max = 4 << 20}));
            ++out.pages;
            if (page.count > 0 && !out.rows.empty()) out.rows += ',';
            out.rows += page.rows;
            out.access = name_of(page.access.kind);
            if (!page.resume) return out;
            from = must(sql::Resume::decode(page.resume->encode()));
        }
    }

    std::unique_ptr<PartitionSource> open(std::string_view key) {
        Request request;
        if (!key.empty()) request.partition_key = key;
        const ItemSelection selection = must(select_items(request, *container_));
        const auto partition = must(services_.partitions->open(*container_, 0));
        return must(PartitionSource::open(
            *partition, selection.scope, container_->definition.default_ttl, true));
    }

    sql::Budget::Limits limits(std::int64_t looks_per_page) {
        if (looks_per_page == 0) return {};
        return {
            .page_time = std::chrono::nanoseconds(looks_per_page),
            .now = [this] { return sql::Budget::TimePoint(std::chrono::nanoseconds(++looks_)); },
            .units_per_look = 0};
    }

    // The rows are the same, however early pages end. With the earliest, there are at least so
    // many.
    void expect_same(std::string_view query,
                     std::string_view access,
                     std::size_t pages_min,
                     std::string_view key = {}) {
        const Outcome whole = run(query, 0, key);
        EXPECT_EQ(whole.access, access) << query;
        EXPECT_EQ(whole.pages, 1U) << query;
        EXPECT_GE(run(query, 1, key).pages, pages_min) << query;
        for (const std::int64_t looks : {1, 2, 3, 5, 8, 13, 50, 200}) {
            EXPECT_EQ(run(query, looks, key).rows, whole.rows) << query << " after " << looks;
        }
    }

    catalog::ContainerPtr container_;
    std::int64_t looks_ = 0;
};

TEST_F(QueryBudgetTest, PagesOfAScanGoOn) {
    expect_same("SELECT VALUE c.id FROM c", "scan", kItems);
    expect_same("SELECT VALUE c.id FROM c WHERE c.no > 30", "scan", kItems);
    expect_same(
        "SELECT VALUE [c.id, t] FROM c JOIN t IN (SELECT VALUE [c.n, c.no])", "scan", 2 * kItems);
    expect_same("SELECT VALUE COUNT(1) FROM c WHERE c.no > 30", "scan", kItems);
    expect_same("SELECT VALUE c.id FROM c WHERE c.no > 10", "scan", 10, R"(["p1"])");
}

TEST_F(QueryBudgetTest, PagesGoOnAmongHiddenItems) {
    container_ = services_.container(R"({"id":"expiring","defaultTtl":-1})");
    for (int i = 0; i < kItems; ++i) {
        create(fmt::format(R"({{"id":"{}","pk":"p","ttl":{}}})", i, i % 10 == 5 ? 1000 : 1));
    }
    clock_.advance(std::chrono::seconds(10));
    constexpr std::size_t kHidden = kItems * 9 / 10;
    expect_same("SELECT VALUE c.id FROM c", "scan", kHidden);
    expect_same("SELECT VALUE c.id FROM c", "scan", kHidden, R"(["p"])");
    expect_same("SELECT VALUE COUNT(1) FROM c", "scan", kHidden);
}

TEST_F(QueryBudgetTest, PagesOfALookupGoOn) {
    expect_same("SELECT VALUE c.id FROM c WHERE c.city = 'c1'", "index lookup", kItems / 2);
    expect_same("SELECT VALUE c.id FROM c WHERE c.city = 'c1' AND ARRAY_CONTAINS(c.tags, 't3')",
                "index lookup",
                kItems / 4);
    // No item is in both.
    expect_same("SELECT VALUE c.id FROM c WHERE c.city = 'c1' AND ARRAY_CONTAINS(c.tags, 't2')",
                "index lookup",
                2);
    expect_same("SELECT VALUE c.id FROM c WHERE c.n < 10", "index lookup", 10);
    expect_same("SELECT VALUE SUM(c.no) FROM c WHERE c.city = 'c1'", "index lookup", kItems / 2);
    expect_same("SELECT VALUE c.id FROM c WHERE c.city = 'c1'", "index lookup", 6, R"(["p1"])");
}

TEST_F(QueryBudgetTest, PagesOfAnOrderedWalkGoOn) {
    expect_same("SELECT VALUE c.id FROM c ORDER BY c.n", "ordered index walk", kItems);
    expect_same("SELECT VALUE c.id FROM c ORDER BY c.n DESC", "ordered index walk", kItems);
    expect_same("SELECT VALUE c.id FROM c WHERE c.no > 30 ORDER BY c.n", "ordered index walk", 9);
    expect_same("SELECT VALUE c.id FROM c ORDER BY c.city, c.n DESC", "ordered index walk", kItems);
    expect_same("SELECT VALUE [c.id, t] FROM c JOIN t IN (SELECT VALUE [1, 2]) ORDER BY c.n",
                "ordered index walk",
                2 * kItems);
}

TEST_F(QueryBudgetTest, PagesOfAWalkOverLongStringsGoOn) {
    expect_same("SELECT VALUE c.id FROM c ORDER BY c.text", "ordered index walk", kItems / 2);
    expect_same("SELECT VALUE c.id FROM c ORDER BY c.text DESC", "ordered index walk", kItems / 2);
    expect_same(
        "SELECT VALUE [c.id, t] FROM c JOIN t IN (SELECT VALUE [1, 2]) ORDER BY c.text DESC",
        "ordered index walk",
        kItems);
}

TEST_F(QueryBudgetTest, PagesOfASortGoOn) {
    expect_same("SELECT VALUE c.id FROM c WHERE c.n < 15 ORDER BY c.no2", "sort", 1);
    expect_same("SELECT VALUE c.id FROM c ORDER BY c.n", "sort", 10, R"(["p1"])");
    expect_same("SELECT VALUE [c.id, t] FROM c JOIN t IN c.tags WHERE c.city = 'c1' ORDER BY c.n",
                "sort",
                20);
}

// Only a filter that matches many items is worth a walk.
TEST_F(QueryBudgetTest, PagesOfAWalkGoOn) {
    constexpr int kMany = 260;
    for (int i = 0; i < kMany; ++i) {
        create(fmt::format(R"({{"id":"w{0}","pk":"p","w":{1},"s":"s{0}"}})", i, (i * 7) % 50));
    }
    const std::pair<std::string_view, std::size_t> queries[] = {
        {"SELECT VALUE c.id FROM c WHERE c.w >= 0", kMany},
        {"SELECT VALUE c.w FROM c WHERE c.w >= 0", kMany},
        {"SELECT VALUE c.id FROM c WHERE CONTAINS(c.s, '77')", kMany},
    };
    for (const auto& [query, pages_min] : queries) {
        const Outcome whole = run(query, 0);
        EXPECT_EQ(whole.access, "index walk") << query;
        const Outcome earliest = run(query, 1);
        EXPECT_EQ(earliest.rows, whole.rows) << query;
        EXPECT_GE(earliest.pages, pages_min) << query;
        EXPECT_EQ(run(query, 40).rows, whole.rows) << query;
    }
}

// Equal index entries are taken together; the result is that of single items.
TEST_F(QueryBudgetTest, PagesOfRunsGoOn) {
    container_ =
        services_.container(R"({"id":"runs","indexingPolicy":{"includedPaths":[{"path":"/*"}],)"
                            R"("excludedPaths":[{"path":"/no/?"}]}})");
    for (int i = 0; i < 1'500; ++i) {
        // Sums of these do not depend on the order.
        const double value = i % 4 == 0 ? i % 40 * 0.25 : 7.75;
        create(fmt::format(R"({{"id":"r{}","pk":"p","w":{},"no":{}}})", i, value, value));
    }
    const std::string_view queries[] = {
        "SELECT VALUE COUNT(1) FROM c WHERE c.{} = 7.75",
        "SELECT VALUE {{\"n\": COUNT(c.{0}), \"sum\": SUM(c.{0}), \"max\": MAX(c.{0})}} FROM c "
        "WHERE c.{0} > 0.25 AND c.{0} < 8",
        "SELECT c.{0}, COUNT(1) AS n, AVG(c.{0} * 3) AS mean FROM c WHERE c.{0} >= 0 GROUP BY "
        "c.{0}",
        "SELECT VALUE COUNTIF(c.{0} = 7.75) FROM c WHERE c.{0} >= 0",
    };
    for (const std::string_view query : queries) {
        const std::string walked = fmt::format(fmt::runtime(query), "w");
        const Outcome whole = run(walked, 0);
        EXPECT_EQ(whole.access, "index walk") << query;
        std::string scanned = run(fmt::format(fmt::runtime(query), "no"), 0).rows;
        for (std::size_t at = 0; (at = scanned.find("\"no\"", at)) != std::string::npos;) {
            scanned.replace(at, 4, "\"w\"");
        }
        EXPECT_EQ(whole.rows, scanned) << query;
        for (const std::int64_t looks : {1, 3, 50, 2'000}) {
            EXPECT_EQ(run(walked, looks).rows, whole.rows) << query << " after " << looks;
        }
    }
    // RAND has another value for each item.
    const int half =
        std::stoi(run("SELECT VALUE COUNT(1) FROM c WHERE c.w = 7.75 AND RAND() < 0.5", 0).rows);
    EXPECT_GT(half, 400);
    EXPECT_LT(half, 700);
}

TEST_F(QueryBudgetTest, PagesWithItemsThatAreNotIndexedGoOn) {
    Request request;
    request.indexing_directive = "Exclude";
    create(R"({"id":"x1","pk":"p1","n":3,"city":"c1","tags":["t3"]})", request);
    create(R"({"id":"x2","pk":"p2","n":4,"city":"c1","tags":["t2"]})", request);
    expect_same("SELECT VALUE c.id FROM c WHERE c.city = 'c1'", "index lookup", kItems / 2);
    expect_same("SELECT VALUE c.id FROM c WHERE c.city = 'c1' AND ARRAY_CONTAINS(c.tags, 't2')",
                "index lookup",
                1);
    expect_same("SELECT VALUE c.id FROM c ORDER BY c.n", "sort", kItems / 2);
}

TEST_F(QueryBudgetTest, QueriesShareTheirMemory) {
    create(R"({"id":"big","pk":"p","big":true,"text":")" + std::string(1'000'000, 'a') + R"("})");
    const std::string_view body =
        R"({"query":"SELECT DISTINCT VALUE CONCAT(c.text, c.text) FROM c WHERE c.big"})";
    Request request;
    request.range_id = "0";
    MemoryPool small(1 << 20);
    Asked asked(request);
    asked.context.allowance.memory = &small;
    const auto refused = services_.queries->run(asked, {}, *container_, {.body = body});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kThrottled);
    EXPECT_EQ(small.used(), 0U);
    EXPECT_TRUE(
        services_.queries->run(asked, {}, *container_, {.body = R"({"query":"SELECT * FROM c"})"}));
    EXPECT_EQ(small.used(), 0U);
    MemoryPool large(std::size_t{512} << 20);
    asked.context.allowance.memory = &large;
    EXPECT_TRUE(services_.queries->run(asked, {}, *container_, {.body = body}));
    EXPECT_EQ(large.used(), 0U);
}

TEST_F(QueryBudgetTest, ConditionsAreLimited) {
    std::string item = R"({"id":"a","list":[0)";
    for (int i = 1; i < 200; ++i) {
        item += "," + std::to_string(i);
    }
    item += "]}";
    const auto holds = [&](std::string_view condition) {
        return must(ItemCondition::parse(condition, *container_, clock_)).holds_for(item);
    };
    EXPECT_TRUE(
        must(holds("from c where exists(select value 1 from a in c.list join b in c.list "
                   "where a = 199 and b = 199)")));
    const auto refused = holds(
        "from c where exists(select value 1 from a in c.list join b in c.list "
        "join d in c.list where a + b + d < 0)");
    EXPECT_EQ(code_of(refused), "400");
    EXPECT_THAT(refused.error().message(), HasSubstr("does more work"));
}

}  // namespace query_budget_test
}  // namespace orrery::service
