// Queries that use up their budget: they stop wherever they are, and a page that ends early is
// continued without losing or repeating a row.

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "model/limits.h"
#include "sql/test_support.h"

namespace orrery::sql {
namespace stopping_test {

using testing::HasSubstr;
using testing::StartsWith;
using testing_support::ListedItems;
using testing_support::Looks;
using testing_support::run;

std::string numbers(int count) {
    std::string out = "[0";
    for (int i = 1; i < count; ++i) {
        out += "," + std::to_string(i);
    }
    return out + "]";
}

// One that is cheap to find and expensive to look into.
std::string heavy_item(std::string_view id) {
    return R"({"id":")" + std::string(id) + R"(","n":1,"list":)" + numbers(200) + R"(,"text":")" +
           std::string(20'000, 'a') + R"("})";
}

ListedItems many_items() {
    std::vector<std::string> items;
    for (int i = 0; i < 2000; ++i) {
        items.push_back(R"({"id":")" + std::to_string(i) + R"(","n":)" + std::to_string(i % 7) +
                        "}");
    }
    return ListedItems(std::move(items));
}

struct Work {
    std::string_view name;
    std::string_view query;
    std::uint64_t units;  // that it takes at least
};

// Every operator and function that can take long counts what it does.
void expect_to_stop(ListedItems& items, std::span<const Work> cases) {
    for (const Work& one : cases) {
        EXPECT_THAT(run(one.query, items), StartsWith("[")) << one.name;
        const std::string limited =
            run(one.query,
                items,
                {.page_size = 1000, .parameters = {}, .limits = {.work_max = one.units}});
        EXPECT_THAT(limited, HasSubstr("does more work")) << one.name;
        // A page that could end early would not fail.
        constexpr std::int64_t kNever = 1'000'000'000;
        Looks all;
        run(one.query,
            items,
            {.page_size = 1000, .parameters = {}, .limits = all.limits(kNever, kNever)});
        const std::int64_t half = all.count / 2;
        ASSERT_GT(half, 100) << one.name;
        Looks looks;
        const std::string late =
            run(one.query,
                items,
                {.page_size = 1000, .parameters = {}, .limits = looks.limits(kNever, half)});
        EXPECT_THAT(late, HasSubstr("time limit")) << one.name;
        EXPECT_LE(looks.count, half + 2) << one.name;
    }
}

TEST(Stopping, OperatorsOverManyItems) {
    ListedItems items = many_items();
    const Work cases[] = {
        {"scan with a filter that fails", "SELECT * FROM c WHERE c.n > 100", 5'000},
        {"aggregate", "SELECT VALUE SUM(c.n) FROM c", 3'000},
        {"DISTINCT", "SELECT DISTINCT VALUE c.n FROM c", 5'000},
        {"GROUP BY", "SELECT c.n, COUNT(1) AS many FROM c GROUP BY c.n", 5'000},
        {"subquery in FROM",
         "SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.id FROM c) x",
         5'000},
        {"MAKELIST", "SELECT VALUE MAKELIST(c.n) FROM c", 5'000},
        {"MAKESET", "SELECT VALUE MAKESET(c.id) FROM c", 5'000},
    };
    expect_to_stop(items, cases);
}

TEST(Stopping, OperatorsWithinOneItem) {
    ListedItems items({heavy_item("a")});
    const Work cases[] = {
        {"JOIN", "SELECT VALUE a FROM c JOIN a IN c.list JOIN b IN c.list WHERE a + b < 0", 20'000},
        {"aggregate of a JOIN",
         "SELECT VALUE COUNT(1) FROM c JOIN a IN c.list JOIN b IN c.list",
         30'000},
        {"ARRAY",
         "SELECT VALUE ARRAY_LENGTH(ARRAY(SELECT VALUE a FROM a IN c.list JOIN b IN c.list)) FROM "
         "c",
         30'000},
        {"EXISTS",
         "SELECT VALUE EXISTS(SELECT VALUE a FROM a IN c.list JOIN b IN c.list WHERE a + b < 0) "
         "FROM c",
         30'000},
        {"scalar subquery",
         "SELECT VALUE (SELECT VALUE COUNT(1) FROM a IN c.list JOIN b IN c.list) FROM c",
         30'000},
        {"DISTINCT in a subquery",
         "SELECT VALUE ARRAY(SELECT DISTINCT VALUE a % 2 FROM a IN c.list JOIN b IN c.list) FROM c",
         30'000},
        {"LIKE", "SELECT VALUE c.text LIKE '%b%a%' FROM c", 15'000},
        {"REGEXMATCH that is counted",
         "SELECT VALUE REGEXMATCH(c.text, '(a|aa)+[bc]') FROM c",
         15'000},
        {"REGEXEXTRACTALL",
         "SELECT VALUE ARRAY_LENGTH(REGEXEXTRACTALL(c.text, 'a{5}')) FROM c",
         4'000},
        {"REPLICATE",
         "SELECT VALUE COUNT(LENGTH(REPLICATE('ab', a + 4000))) FROM c JOIN a IN c.list",
         20'000},
        {"REPLACE",
         "SELECT VALUE COUNT(LENGTH(REPLACE(c.text, 'a', 'bc'))) FROM c JOIN a IN c.list",
         100'000},
        {"CONCAT and ||",
         "SELECT VALUE COUNT(LENGTH(CONCAT(c.text, c.text) || c.text)) FROM c JOIN a IN c.list",
         100'000},
        {"CONTAINS",
         "SELECT VALUE COUNT(1) FROM c JOIN a IN c.list WHERE CONTAINS(c.text, TOSTRING(a))",
         30'000},
        {"CONTAINS_ANY_CI",
         "SELECT VALUE COUNT(CONTAINS_ANY_CI(c.text, 'b', 'c', 'd', 'e')) FROM c JOIN a IN c.list",
         200'000},
        {"SETINTERSECT",
         "SELECT VALUE COUNT(SETINTERSECT(c.list, c.list)) FROM c JOIN a IN c.list",
         200'000},
        {"SETUNION",
         "SELECT VALUE COUNT(SETUNION(c.list, c.list)) FROM c JOIN a IN c.list",
         200'000},
        {"ARRAY_CONCAT",
         "SELECT VALUE COUNT(ARRAY_CONCAT(c.list, c.list)) FROM c JOIN a IN c.list",
         5'000},
        {"ARRAY_CONTAINS",
         "SELECT VALUE COUNT(ARRAY_CONTAINS(c.list, 1000)) FROM c JOIN a IN c.list",
         30'000},
        {"TOSTRING",
         "SELECT VALUE COUNT(LENGTH(TOSTRING([c.list, a]))) FROM c JOIN a IN c.list",
         4'000},
        {"string comparison",
         "SELECT VALUE COUNT(1) FROM c JOIN a IN c.list WHERE c.text < CONCAT(c.text, TOSTRING(a))",
         100'000},
    };
    expect_to_stop(items, cases);
}

// Values that contain the same part many times over are far larger than the memory they take.
TEST(Stopping, ValuesThatDoubleAtEveryLevel) {
    ListedItems items({heavy_item("a")});
    std::string value = "[1]";
    std::string from;
    for (int i = 0; i < 9; ++i) {
        const std::string name = "v" + std::to_string(i);
        from += " JOIN (SELECT VALUE [" + value + "," + value + "," + value + "," + value +
                "]) AS " + name;
        value = name;
    }
    const std::string doubled[] = {
        "SELECT VALUE " + value + " FROM c" + from,
        "SELECT VALUE COUNT(" + value + " = " + value + ") FROM c" + from,
        "SELECT DISTINCT VALUE " + value + " FROM c" + from,
        "SELECT VALUE MAKELIST(" + value + ") FROM c" + from,
        "SELECT VALUE " + value + " IN (" + value + ", 1) FROM c" + from,
    };
    for (const std::string& query : doubled) {
        EXPECT_THAT(run(query,
                        items,
                        {.page_size = 1000, .parameters = {}, .limits = {.work_max = 100'000}}),
                    HasSubstr("does more work"))
            << query;
    }
}

TEST(Stopping, MemoryIsLimitedAndGivenBack) {
    constexpr std::size_t kMegabyte = 1 << 20;
    ListedItems items({heavy_item("a"), heavy_item("b"), heavy_item("c")});
    const std::string_view queries[] = {
        "SELECT DISTINCT VALUE CONCAT(c.text, TOSTRING(a)) FROM c JOIN a IN c.list",
        "SELECT COUNT(1) AS n FROM c JOIN a IN c.list GROUP BY CONCAT(c.text, TOSTRING(a))",
        "SELECT VALUE MAKELIST(CONCAT(c.text, TOSTRING(a))) FROM c JOIN a IN c.list",
        "SELECT VALUE MAKESET(CONCAT(c.text, TOSTRING(a))) FROM c JOIN a IN c.list",
        "SELECT VALUE ARRAY(SELECT VALUE CONCAT(c.text, TOSTRING(a)) FROM a IN c.list) FROM c",
        "SELECT VALUE ARRAY(SELECT DISTINCT VALUE c.text || TOSTRING(a) FROM a IN c.list) FROM c",
    };
    for (const std::string_view query : queries) {
        MemoryPool pool(64 * kMegabyte);
        const auto run_with = [&](std::size_t query_max, MemoryPool& shared) {
            return run(query,
                       items,
                       {.page_size = 1000,
                        .parameters = {},
                        .limits = {.memory_max = query_max, .pool = &shared}});
        };
        EXPECT_THAT(run_with(64 * kMegabyte, pool), StartsWith("[")) << query;
        EXPECT_EQ(pool.used(), 0U) << query;
        EXPECT_THAT(run_with(2 * kMegabyte, pool), HasSubstr("exceed the maximum")) << query;
        EXPECT_EQ(pool.used(), 0U) << query;
        MemoryPool small(2 * kMegabyte);
        EXPECT_THAT(run_with(64 * kMegabyte, small), HasSubstr("retry later")) << query;
        EXPECT_EQ(small.used(), 0U) << query;
    }
}

TEST(Stopping, AJoinNeedsMemoryForOneRowOnly) {
    ListedItems items({heavy_item("a")});
    // 200 x 200 rows; each copies the text and parses an array of 200.
    const std::string_view query =
        "SELECT VALUE COUNT(1) FROM c JOIN a IN c.list JOIN b IN c.list "
        "WHERE LENGTH(CONCAT(c.text, TOSTRING(b))) > 0";
    EXPECT_EQ(
        run(query, items, {.page_size = 1000, .parameters = {}, .limits = {.memory_max = 1 << 20}}),
        "[40000]");
}

class PagesThatEnd : public testing::Test {
protected:
    ListedItems items_{{
        R"({"id":"a","n":1,"name":"Ann","tags":["x","y"],"home":{"city":"Rome"},"on":true})",
        R"({"id":"b","n":2,"name":"Bob","tags":[],"home":{"city":"Oslo"},"on":false})",
        R"({"id":"c","n":2.5,"tags":["y","z","x"],"pets":[{"k":"cat","a":3},{"k":"dog","a":5}]})",
        R"({"id":"d","n":null,"name":"Dan","n2":9007199254740993,"home":"none","tags":["w"]})",
    }};

    // Ends a page at every place where it can, and after every number of looks at the clock.
    void expect_same(std::string_view query, std::size_t pages_min) {
        const std::string rows = run(query, items_);
        ASSERT_THAT(rows, StartsWith("[")) << query;
        for (std::int64_t looks_per_page = 1; looks_per_page < 60; ++looks_per_page) {
            for (const std::size_t page_size : {1000UL, 2UL}) {
                Looks looks;
                std::size_t pages = 0;
                EXPECT_EQ(run(query,
                              items_,
                              {.page_size = page_size,
                               .parameters = {},
                               .limits = looks.limits(looks_per_page),
                               .pages = &pages}),
                          rows)
                    << query << " after " << looks_per_page;
                if (looks_per_page == 1) EXPECT_GE(pages, pages_min) << query;
            }
        }
    }
};

TEST_F(PagesThatEnd, ContinueWhereTheyWere) {
    expect_same("SELECT * FROM c", 4);
    expect_same("SELECT c.id, c.n FROM c WHERE c.n >= 2", 4);
    expect_same("SELECT VALUE c.id FROM c WHERE c.n > 100", 4);
    expect_same("SELECT VALUE t FROM c JOIN t IN c.tags", 6);
    expect_same("SELECT VALUE t FROM t IN c.tags", 6);
    expect_same("SELECT VALUE t || s FROM c JOIN t IN c.tags JOIN s IN c.tags", 14);
    expect_same("SELECT VALUE t || s FROM c JOIN t IN c.tags JOIN s IN c.tags WHERE t != s", 14);
    expect_same("SELECT VALUE t || s FROM c JOIN t IN c.tags JOIN s IN c.tags WHERE t = 'no'", 6);
    expect_same("SELECT c.id, p.k FROM c JOIN p IN c.pets WHERE p.a > 3", 4);
    expect_same("SELECT VALUE s FROM c JOIN s IN (SELECT VALUE t FROM t IN c.tags WHERE t > 'x')",
                4);
    expect_same("SELECT VALUE ARRAY(SELECT VALUE t FROM t IN c.tags WHERE t > 'w') FROM c", 4);
    expect_same(
        "SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'y')", 4);
    expect_same("SELECT VALUE t FROM c JOIN t IN c.tags OFFSET 2 LIMIT 3", 4);
    expect_same("SELECT TOP 4 VALUE t FROM c JOIN t IN c.tags", 4);
}

TEST_F(PagesThatEnd, CarryAggregatesOn) {
    expect_same("SELECT VALUE COUNT(1) FROM c WHERE c.n > 0", 4);
    expect_same("SELECT VALUE COUNT(1) FROM c JOIN t IN c.tags JOIN s IN c.tags", 14);
    expect_same("SELECT VALUE SUM(c.n) FROM c WHERE IS_NUMBER(c.n)", 4);
    expect_same("SELECT VALUE SUM(c.n2) FROM c WHERE IS_DEFINED(c.n2)", 4);
    expect_same("SELECT COUNT(c.n) AS a, AVG(c.n) AS b, MIN(c.n) AS c, MAX(c.id) AS d FROM c", 4);
    expect_same(
        "SELECT MIN(c.on) AS a, MAX(c.home) AS b, SUM(c.name) AS c, COUNTIF(c.on) AS d FROM c", 4);
    expect_same("SELECT VALUE MIN(t) FROM c JOIN t IN c.tags WHERE t != 'w'", 6);
    expect_same("SELECT VALUE {n: COUNT(1) + 1, of: AVG(c.n)} FROM c WHERE c.n < 100", 4);
}

// They need all rows at once and take as long as that takes.
TEST_F(PagesThatEnd, AreNotUsedForWholeResults) {
    expect_same("SELECT DISTINCT VALUE t FROM c JOIN t IN c.tags", 1);
    expect_same("SELECT c.on, COUNT(1) AS many FROM c GROUP BY c.on", 1);
    expect_same("SELECT VALUE MAKELIST(t) FROM c JOIN t IN c.tags", 1);
    expect_same("SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE t FROM t IN c.tags) x", 1);
    Looks looks;
    std::size_t pages = 0;
    run("SELECT DISTINCT VALUE t FROM c JOIN t IN c.tags",
        items_,
        {.page_size = 1000, .parameters = {}, .limits = looks.limits(1), .pages = &pages});
    EXPECT_EQ(pages, 1U);
}

TEST_F(PagesThatEnd, KeepLongStringsOutOfTheToken) {
    ListedItems items({heavy_item("a"), heavy_item("b"), heavy_item("c")});
    Looks looks;
    std::size_t pages = 0;
    EXPECT_EQ(
        run("SELECT VALUE LENGTH(MAX(c.text)) FROM c WHERE c.n = 1",
            items,
            {.page_size = 1000, .parameters = {}, .limits = looks.limits(1), .pages = &pages}),
        "[20000]");
    EXPECT_EQ(pages, 1U);
}

// Tokens of earlier versions count rows.
TEST_F(PagesThatEnd, AcceptTokensOfEarlierVersions) {
    const Resume old{.position = "n" + std::string("\0\0\0\0\0\0\0\3", 8),
                     .item = 3,
                     .rows_done = 2,
                     .passed = 0,
                     .given = 4};
    EXPECT_EQ(testing_support::run("SELECT VALUE t FROM c JOIN t IN c.tags",
                                   items_,
                                   {.page_size = 1000, .parameters = {}, .from = old}),
              R"(["x","w"])");
}

TEST(Resume, KeepsEverything) {
    const Resume resume{.position = "n12345678",
                        .item = 7,
                        .rows_done = 0,
                        .passed = 300,
                        .given = 2,
                        .place = {0, 5, 1'000'000},
                        .state = std::string("a\0j", 3)};
    EXPECT_EQ(*Resume::decode(resume.encode()), resume);
    const std::string bytes = resume.encode();
    for (std::size_t size = 1; size < bytes.size() - resume.position.size(); ++size) {
        const auto cut = Resume::decode(std::string_view(bytes).substr(0, size));
        EXPECT_TRUE(!cut || *cut != resume);
    }
}

}  // namespace stopping_test
}  // namespace orrery::sql
