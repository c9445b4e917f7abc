#include "service/resource_feed.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/limits.h"
#include "service/test_support.h"

namespace orrery::service {
namespace resource_feed_test {

using testing_support::Asked;
using testing_support::code_of;
using testing_support::must;
using testing_support::parsed;

class ResourceFeedTest : public testing::Test {
protected:
    void add(std::uint64_t number, const std::string& body) {
        resources_.push_back({number, [this, body] {
                                  ++bodies_;
                                  return parsed(body);
                              }});
    }
    void add_five() {
        add(1, R"({"id":"b","n":2,"kind":"x"})");
        add(2, R"({"id":"a","n":1,"kind":"y"})");
        add(5, R"({"id":"c","n":2,"kind":"y"})");
        add(7, R"({"id":"B","kind":"x"})");
        add(9, R"({"id":"ab","n":"2","kind":"x"})");
    }

    Result<Page> ask(const std::string& sql,
                     const Request& request = {},
                     const std::string& scope = "list") {
        const QueryText query{.body = sql, .plain_text = true};
        return feed_.page(Asked(request), resources_, &query, scope);
    }
    // All rows, and the same whether they are read at once or row by row.
    std::string rows(const std::string& sql) {
        std::string whole = all_rows(sql, "-1");
        EXPECT_EQ(all_rows(sql, "1"), whole) << sql;
        return whole;
    }
    std::string all_rows(const std::string& sql, std::string_view page_size) {
        std::string out;
        std::optional<std::string> token;
        do {
            Request request;
            request.max_item_count = page_size;
            request.continuation = token;
            const Page page = must(ask(sql, request));
            if (page.count > 0) out += (out.empty() ? "" : ",") + page.elements;
            token = page.continuation;
            EXPECT_LE(token.value_or("").size(), model::limits::kContinuationBytesMax);
        } while (token);
        return out;
    }

    ManualClock clock_{std::chrono::seconds(1'700'000'000)};
    ContinuationSigner signer_{std::string(32, 's')};
    ResourceFeed feed_{signer_, clock_};
    std::vector<Listed> resources_;
    int bodies_ = 0;
};

TEST_F(ResourceFeedTest, TakesEveryClause) {
    add_five();
    EXPECT_EQ(rows("SELECT VALUE r.id FROM r"), R"("b","a","c","B","ab")");
    EXPECT_EQ(rows("SELECT * FROM root r WHERE r.id = 'a'"), R"({"id":"a","n":1,"kind":"y"})");
    EXPECT_EQ(rows("SELECT r.id, r.n FROM r WHERE r.n != 2"),
              R"({"id":"a","n":1},{"id":"ab","n":"2"})");
    EXPECT_EQ(rows("SELECT VALUE r.id FROM r WHERE r.id LIKE 'a%'"), R"("a","ab")");
    EXPECT_EQ(rows("SELECT VALUE r.id FROM r WHERE r.id IN ('c', 'a', 'z')"), R"("a","c")");
    EXPECT_EQ(rows("SELECT VALUE r.id FROM r WHERE r.n = 1 OR STARTSWITH(r.id, 'b', true)"),
              R"("b","a","B")");
    EXPECT_EQ(rows("SELECT TOP 2 VALUE r.id FROM r"), R"("b","a")");
    EXPECT_EQ(rows("SELECT VALUE r.id FROM r OFFSET 1 LIMIT 2"), R"("a","c")");
    EXPECT_EQ(rows("SELECT DISTINCT VALUE r.kind FROM r"), R"("x","y")");
    EXPECT_EQ(rows("SELECT VALUE COUNT(1) FROM r"), "5");
    EXPECT_EQ(rows("SELECT COUNT(1) AS n, MAX(r.id) AS last FROM r WHERE r.kind = 'y'"),
              R"({"n":2,"last":"c"})");
    EXPECT_EQ(rows("SELECT r.kind, COUNT(1) AS n FROM r GROUP BY r.kind"),
              R"({"kind":"x","n":3},{"kind":"y","n":2})");
    EXPECT_EQ(rows("SELECT VALUE s FROM (SELECT VALUE r.id FROM r) AS s WHERE s > 'a'"),
              R"("b","c","ab")");
}

TEST_F(ResourceFeedTest, SortsWithoutAnIndex) {
    add_five();
    EXPECT_EQ(rows("SELECT VALUE r.id FROM r ORDER BY r.id"), R"("B","a","ab","b","c")");
    EXPECT_EQ(rows("SELECT VALUE r.id FROM r ORDER BY r.id DESC"), R"("c","b","ab","a","B")");
    // Undefined comes first, numbers before strings.
    EXPECT_EQ(rows("SELECT VALUE r.id FROM r ORDER BY r.n"), R"("B","a","b","c","ab")");
    EXPECT_EQ(rows("SELECT VALUE r.id FROM r ORDER BY r.kind DESC, r.id"),
              R"("a","c","B","ab","b")");
    EXPECT_EQ(rows("SELECT VALUE r.id FROM r WHERE r.kind = 'x' ORDER BY r.n OFFSET 1 LIMIT 1"),
              R"("b")");
    EXPECT_EQ(rows("SELECT DISTINCT VALUE r.kind FROM r ORDER BY r.kind DESC"), R"("y","x")");
}

TEST_F(ResourceFeedTest, LongSortKeysStayInShortTokens) {
    std::string expected;
    for (std::uint64_t i = 0; i < 20; ++i) {
        const std::string key = std::string(2000, 'k') + static_cast<char>('a' + i);
        add(20 - i, R"({"id":")" + std::to_string(i) + R"(","k":")" + key + "\"}");
    }
    std::reverse(resources_.begin(), resources_.end());
    for (std::size_t i = 0; i < resources_.size(); ++i) {
        expected += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\"";
    }
    EXPECT_EQ(rows("SELECT VALUE r.id FROM r ORDER BY r.k"), expected);
}

TEST_F(ResourceFeedTest, GoesOnAfterResourcesThatAreGone) {
    add_five();
    Request request;
    request.max_item_count = "2";
    const Page first = must(ask("SELECT VALUE r.id FROM r", request));
    EXPECT_EQ(first.elements, R"("b","a")");
    resources_.erase(resources_.begin() + 2);  // the next page would start with it
    request.continuation = *first.continuation;
    EXPECT_EQ(must(ask("SELECT VALUE r.id FROM r", request)).elements, R"("B","ab")");
}

TEST_F(ResourceFeedTest, TokensAreGoodForTheirQueryAndListOnly) {
    add_five();
    Request request;
    request.max_item_count = "2";
    const std::string token = *must(ask("SELECT * FROM r", request)).continuation;
    request.continuation = token;
    EXPECT_EQ(code_of(ask("SELECT * FROM r", request)), "ok");
    EXPECT_EQ(code_of(ask("SELECT r.id FROM r", request)), "400");
    EXPECT_EQ(code_of(ask("SELECT * FROM r", request, "other")), "400");
    EXPECT_EQ(code_of(feed_.page(Asked(request), resources_, nullptr, "list")), "400");
    request.continuation = "made up";
    EXPECT_EQ(code_of(ask("SELECT * FROM r", request)), "400");
}

TEST_F(ResourceFeedTest, TakesParameters) {
    add_five();
    const QueryText query{
        .body = R"({"query":"SELECT VALUE r.id FROM r WHERE r.id = @id OR r.n = @n",)"
                R"("parameters":[{"name":"@id","value":"ab"},{"name":"@n","value":1}]})"};
    EXPECT_EQ(must(feed_.page(Asked(), resources_, &query, "list")).elements, R"("a","ab")");
}

TEST_F(ResourceFeedTest, RefusesAsQueriesOnItemsDo) {
    add_five();
    for (const char* sql : {"",
                            "SELECT",
                            "SELECT * FROM r WHERE",
                            "SELECT * FROM r WHERE x.id = 1",
                            "SELECT NOSUCH(r.id) FROM r",
                            "SELECT VALUE udf.f(r.id) FROM r",
                            "SELECT r.id, COUNT(1) FROM r"}) {
        EXPECT_EQ(code_of(ask(sql)), "400") << sql;
    }
    const auto refused = ask("SELECT VALUE udf.f(r.id) FROM r");
    EXPECT_NE(refused.error().message().find("only queries on items can do so"), std::string::npos);
    Request request;
    request.max_item_count = "-2";
    EXPECT_EQ(code_of(ask("SELECT * FROM r", request)), "400");
}

TEST_F(ResourceFeedTest, ReadsNoMoreThanThePageNeeds) {
    for (std::uint64_t i = 1; i <= 1000; ++i) {
        add(i, R"({"id":"x"})");
    }
    Request request;
    request.max_item_count = "10";
    EXPECT_EQ(must(ask("SELECT * FROM r", request)).count, 10U);
    EXPECT_LE(bodies_, 11);
    EXPECT_EQ(must(ask("SELECT VALUE COUNT(1) FROM r")).elements, "1000");
    EXPECT_LE(bodies_, 11) << "counted, not read";
}

TEST_F(ResourceFeedTest, ExplainsItsPlan) {
    add_five();
    const json::Value plan =
        parsed(must(ask("EXPLAIN SELECT * FROM r WHERE r.id = 'a' ORDER BY r.id")).elements);
    EXPECT_EQ(plan.find("access")->string(), "sort");
    EXPECT_EQ(plan.find("actual")->find("rows")->integer(), 1);
}

}  // namespace resource_feed_test
}  // namespace orrery::service
