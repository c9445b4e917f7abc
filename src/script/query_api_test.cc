// The query API: filter, map, pluck, flatten, unwind, sortBy, chain.

#include "script/test_support.h"

namespace orrery::script {
namespace query_api_test {

using testing::HasSubstr;

class QueryApiTest : public ScriptTest {
protected:
    QueryApiTest() {
        host_.add(R"({"id":"a","n":3,"tags":["x",["y"]],"kids":[{"k":1,"pets":["p","q"]}]})");
        host_.add(
            R"({"id":"b","n":1,"tags":["z"],"kids":[{"k":2,"pets":[]},{"k":3,"pets":["r"]}]})");
        host_.add(R"({"id":"c","n":2})");
    }

    // The rows that a query passes to its callback. In `query`, "done" is the callback.
    std::string rows(const std::string& query) {
        return result(
            "() => { const done = (e, rows) => __.response.setBody(e ? [e.number, "
            "e.message] : rows); const r = " +
            query + "; if (!r.isAccepted) throw new Error('refused'); }");
    }
    std::string thrown(const std::string& query) {
        return result("() => { try { " + query +
                      "; } catch (e) { __.response.setBody(e.number); } }");
    }
};

TEST_F(QueryApiTest, Filters) {
    EXPECT_EQ(rows("__.chain().filter(d => d.n > 1).pluck('id').value(done)"), R"(["a","c"])");
    EXPECT_THAT(rows("__.filter(d => d.id === 'b', done)"), HasSubstr("\"id\":\"b\""));
    EXPECT_THAT(rows("__.filter(__, function (d) { return d.id === 'b'; }, {pageSize: 5}, done)"),
                HasSubstr("\"id\":\"b\""));
    EXPECT_THAT(rows("__.filter(getContext().getCollection(), d => d.n < 2, done)"),
                HasSubstr("\"id\":\"b\""));
}

TEST_F(QueryApiTest, SeesCapturedVariables) {
    EXPECT_EQ(result("function (limit) { __.chain().filter(d => d.n >= limit).pluck('n')"
                     ".value((e, r) => __.response.setBody(r)); }",
                     "[2]"),
              "[3,2]");
    EXPECT_EQ(result("function () { var p = __.proxy({limit: 2}); __.response.setBody("
                     "[p.captures.limit, p.filter(() => true, () => {}).isAccepted]); }"),
              "[2,true]");
}

TEST_F(QueryApiTest, Transforms) {
    EXPECT_EQ(rows("__.map(d => ({v: d.n * 2}), done)"), R"([{"v":6},{"v":2},{"v":4}])");
    EXPECT_EQ(rows("__.pluck('tags', done)"), R"([["x",["y"]],["z"]])");
    EXPECT_EQ(rows("__.chain().pluck('tags').flatten().value(done)"), R"(["x","y","z"])");
    EXPECT_EQ(rows("__.chain().pluck('tags').flatten(true).value(done)"), R"(["x",["y"],"z"])");
    EXPECT_EQ(rows("__.chain().filter(d => d.kids).unwind(d => d.kids).pluck('k').value(done)"),
              "[1,2,3]");
    EXPECT_EQ(rows("__.unwind(d => d.kids, (d, k) => d.id + k.k, done)"), R"(["a1","b2","b3"])");
    EXPECT_EQ(rows("__.chain().unwind(d => d.kids, (d, k) => ({d, k})).unwind(x => x.k.pets, (x, "
                   "p) => ({id: x.d.id, p})).value(done)"),
              R"([{"id":"a","p":"p"},{"id":"a","p":"q"},{"id":"b","p":"r"}])");
}

TEST_F(QueryApiTest, SortsInTheHostIfPossible) {
    EXPECT_EQ(rows("__.chain().sortBy(d => d.n).pluck('id').value(done)"), R"(["b","c","a"])");
    EXPECT_EQ(host_.operations.back().text,
              R"({"query":"SELECT VALUE r FROM r ORDER BY r[\"n\"] ASC"})");
    EXPECT_EQ(rows("__.chain().filter(d => d.n < 3).sortByDescending(function (x) { return x.n; })"
                   ".pluck('id').value(done)"),
              R"(["c","b"])");
    EXPECT_THAT(host_.operations.back().text, HasSubstr("DESC"));
}

TEST_F(QueryApiTest, SortsInTheScriptOtherwise) {
    EXPECT_EQ(rows("__.chain().sortBy(d => -d.n).pluck('id').value(done)"), R"(["a","c","b"])");
    EXPECT_EQ(rows("__.chain().map(d => d.n).sortByDescending(n => n).value(done)"), "[3,2,1]");
    EXPECT_EQ(rows("__.chain().sortBy(d => [undefined, true, null, 'a', [1]][d.n]).pluck('n')"
                   ".value({pageSize: 2}, done)"),
              "[2,1]");
    EXPECT_EQ(host_.operations.back().kind, OperationKind::kReadFeed);
}

TEST_F(QueryApiTest, AppendsToTheBodyWithoutACallback) {
    EXPECT_EQ(result("() => { __.chain().sortBy(d => d.n).pluck('n').value(); }"), "\"[1,2,3]\"");
    EXPECT_EQ(result("() => { __.pluck('n'); }"), "\"[3,1,2]\"");
    EXPECT_THAT(result("() => { __.map(d => d.a.b); }"), HasSubstr("TypeError"));
}

TEST_F(QueryApiTest, PassesExceptionsOfPredicatesToTheCallback) {
    EXPECT_EQ(rows("__.filter(d => { throw new Error(42, 'mine'); }, done)"), R"([42,"mine"])");
}

TEST_F(QueryApiTest, FillsPagesAndContinues) {
    host_.items.clear();
    for (int i = 0; i < 450; ++i) {
        host_.add("{\"id\":\"" + std::to_string(i) + "\",\"n\":" + std::to_string(i) + "}");
    }
    const std::string all =
        "() => { const pages = []; const run = t => __.chain().%.pluck('n').value({pageSize: 30, "
        "continuation: t}, (e, rows, o) => { if (e) throw e; pages.push(rows); if (o.continuation) "
        "run(o.continuation); }); run(); __.response.setBody(pages); }";
    const auto pages = [&](const std::string& step) {
        std::string body = all;
        return json::Value::parse(result(body.replace(body.find('%'), 1, step))).take().array();
    };
    for (const char* step : {"filter(d => d.n % 5 === 0)",
                             "filter(d => d.n % 5 === 0).sortBy(d => d.n)",
                             "filter(d => d.n % 5 === 0).sortBy(d => d.n + 0)"}) {
        const auto found = pages(step);
        ASSERT_EQ(found.size(), 3U) << step;
        std::int64_t next = 0;
        for (const json::Value& page : found) {
            EXPECT_EQ(page.array().size(), 30U);
            for (const json::Value& n : page.array()) {
                EXPECT_EQ(n.integer(), next) << step;
                next += 5;
            }
        }
        EXPECT_EQ(next, 450);
    }
    EXPECT_EQ(thrown("__.filter(d => true, {continuation: 'forged'}, () => {})"), "400");
}

TEST_F(QueryApiTest, ChecksArguments) {
    for (const char* query : {"__.filter()",
                              "__.filter('x')",
                              "__.map(5)",
                              "__.sortBy()",
                              "__.pluck()",
                              "__.pluck('')",
                              "__.pluck(5)",
                              "__.unwind()",
                              "__.unwind('kids')",
                              "__.unwind(() => [])",
                              "__.unwind(d => d.kids, k => k)",
                              "__.chain().filter(d => true, {})",
                              "__.chain().filter(d => true, () => {})",
                              "__.chain().pluck('a', undefined, () => {})",
                              "__.filter(d => true, 5)",
                              "__.chain().value({pageSize: 'x'})"}) {
        EXPECT_EQ(thrown(query), "400") << query;
    }
}

TEST_F(QueryApiTest, RefusedChainDoesNothing) {
    host_.operations_max = 0;
    EXPECT_EQ(result("() => { const c = __.chain(); __.response.setBody([c.isAccepted, "
                     "c.filter(d => true) === c, c.pluck('x').value() === c, "
                     "__.filter(d => true).isAccepted]); }"),
              "[false,true,true,false]");
}

TEST_F(QueryApiTest, DeliversPartialResultsWhenTheBudgetEnds) {
    host_.items.clear();
    for (int i = 0; i < 300; ++i) {
        host_.add("{\"id\":\"" + std::to_string(i) + "\"}");
    }
    host_.operations_max = 2;
    EXPECT_EQ(result("() => { __.filter(d => d.id % 4 == 0, {pageSize: 120}, (e, rows, o) => "
                     "__.response.setBody([rows.length, o.continuation])); }"),
              "[60,\"0:240\"]");
}

TEST_F(QueryApiTest, HasSpatialFunctions) {
    const std::string point = "{type: 'Point', coordinates: [0, 0]}";
    EXPECT_EQ(value("[__.spatial.distance(" + point + ", " + point + "), __.spatial.isValid(" +
                    point + ")]"),
              "[12.5,true]");
    EXPECT_EQ(thrown("__.spatial.within(" + point + ", " + point + ")"), "400");
    EXPECT_EQ(thrown("__.spatial.distance(1, 2)"), "400");
    EXPECT_EQ(thrown("__.spatial.distance(" + point + ")"), "400");
}

}  // namespace query_api_test
}  // namespace orrery::script
