// UDFs in queries, with C++ functions in place of scripts.

#include "sql/udf.h"

#include <functional>
#include <gmock/gmock.h>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "model/limits.h"
#include "sql/test_support.h"

namespace orrery::sql {
namespace udf_test {

namespace limits = model::limits;
using testing::HasSubstr;
using testing_support::ListedItems;

class Functions : public UdfCaller {
public:
    using Function = std::function<Result<Value>(std::span<const Value>, Arena&)>;

    void add(const std::string& name, Function function) {
        numbers_[name] = functions_.size();
        functions_.push_back(std::move(function));
    }

    Result<std::optional<std::size_t>> find(std::string_view name) override {
        if (name == "broken") return Error(ErrorCode::kBadRequest, "does not compile", 65535);
        const auto found = numbers_.find(name);
        if (found == numbers_.end()) return std::optional<std::size_t>();
        return std::optional(found->second);
    }

    Result<Value> call(std::size_t udf, std::span<const Value> arguments, Arena& arena) override {
        ++calls;
        return functions_.at(udf)(arguments, arena);
    }

    int calls = 0;

private:
    std::map<std::string, std::size_t, std::less<>> numbers_;
    std::vector<Function> functions_;
};

class UdfTest : public testing::Test {
protected:
    UdfTest() {
        udfs_.add("same", [](std::span<const Value> a, Arena&) -> Result<Value> {
            return a.empty() ? Value::undefined() : a.front();
        });
        udfs_.add("twice", [](std::span<const Value> a, Arena&) -> Result<Value> {
            if (a.empty() || !a.front().is_number()) return Value::undefined();
            return Value::number(2 * a.front().number().real());
        });
        udfs_.add("odd", [](std::span<const Value> a, Arena&) -> Result<Value> {
            return Value::boolean(a.front().is_number() && a.front().number().integer() % 2 == 1);
        });
        udfs_.add("next", [this](std::span<const Value>, Arena&) -> Result<Value> {
            return Value::number(next_++);
        });
        // Every result uses the same buffer.
        udfs_.add("text", [this](std::span<const Value> a, Arena& arena) -> Result<Value> {
            text_ = "<";
            for (const Value& argument : a) {
                if (!append_json(text_, argument, arena)) return Error(ErrorCode::kInternal, "?");
                text_ += argument.is_defined() ? ">" : "undefined>";
            }
            return Value::string(text_);
        });
        udfs_.add("list", [this](std::span<const Value> a, Arena& arena) -> Result<Value> {
            text_ = "[";
            for (const Value& argument : a) {
                if (text_.size() > 1) text_ += ',';
                if (!append_json(text_, argument, arena)) return Error(ErrorCode::kInternal, "?");
            }
            text_ += ']';
            return Value::from_json(text_, arena);
        });
        udfs_.add("fail", [](std::span<const Value>, Arena&) -> Result<Value> {
            return Error(ErrorCode::kBadRequest, "thrown", 32766);
        });
    }

    std::string run(std::string_view query, std::size_t page_size = 1000) {
        return testing_support::run(
            query, items_, {.page_size = page_size, .parameters = {}, .udfs = &udfs_});
    }
    std::string evaluate(const std::string& expression) {
        return run("SELECT VALUE " + expression);
    }

    Functions udfs_;
    std::int64_t next_ = 0;
    std::string text_;
    ListedItems items_{{
        R"({"id":"a","n":1,"tags":["x","y"],"o":{"k":1}})",
        R"({"id":"b","n":2,"tags":[],"o":{"k":[2]}})",
        R"({"id":"c","n":3,"tags":["z"]})",
        R"({"id":"d","name":"Dan"})",
    }};
};

TEST_F(UdfTest, AcceptAnyArgument) {
    EXPECT_EQ(evaluate("udf.text()"), R"(["<"])");
    EXPECT_EQ(evaluate("udf.text(undefined, null, true, 1, 1.5, 'é')"),
              R"(["<undefined>null>true>1>1.5>\"é\">"])");
    EXPECT_EQ(evaluate("udf.text([1, undefined, {'a': 'b'}], {})"),
              R"(["<[1,{\"a\":\"b\"}]>{}>"])");
    EXPECT_EQ(run("SELECT VALUE udf.text(c.n, c.o, c.tags) FROM c WHERE c.id IN ('a', 'd')"),
              R"(["<1>{\"k\":1}>[\"x\",\"y\"]>","<undefined>undefined>undefined>"])");
    EXPECT_EQ(evaluate("udf.text(1, 2, 3, 4, 5, 6, 7, 8, 9)"), R"(["<1>2>3>4>5>6>7>8>9>"])");
}

TEST_F(UdfTest, ReturnAnyValue) {
    EXPECT_EQ(evaluate("udf.same(undefined)"), "[]");
    EXPECT_EQ(evaluate("[udf.same(undefined), udf.same(null), udf.same(false)]"), "[[null,false]]");
    EXPECT_EQ(evaluate("udf.same(9007199254740993)"), "[9007199254740993]");
    EXPECT_EQ(evaluate("udf.twice(4503599627370497)"), "[9007199254740994]");
    EXPECT_EQ(evaluate("udf.list(1, 'a')[1]"), R"(["a"])");
    EXPECT_EQ(evaluate("udf.same({'a': {'b': [1]}}).a.b"), "[[1]]");
    EXPECT_THAT(evaluate("udf.twice(1 / 0)"), HasSubstr("error/4001"));
    EXPECT_THAT(evaluate("[udf.same(SQRT(-1))]"), HasSubstr("error/4001"));
    EXPECT_EQ(evaluate("IS_FINITE_NUMBER(udf.twice(1 / 0))"), "[false]");
}

TEST_F(UdfTest, ResultsOutliveTheNextCall) {
    EXPECT_EQ(evaluate("[udf.text(1), udf.text(2), udf.list(3), udf.list(4, 5)]"),
              R"([["<1>","<2>",[3],[4,5]]])");
    EXPECT_EQ(run("SELECT VALUE MAX(udf.text(c.id)) FROM c"), R"(["<\"d\">"])");
    EXPECT_EQ(run("SELECT DISTINCT VALUE udf.list(c.n) FROM c WHERE c.n < 3"), "[[1],[2]]");
}

TEST_F(UdfTest, AreAllowedInExpressions) {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"SELECT udf.twice(c.n), udf.twice(c.n) AS t FROM c WHERE c.n < 3",
         R"([{"$1":2,"t":2},{"$1":4,"t":4}])"},
        {"SELECT VALUE c.id FROM c WHERE udf.twice(c.n) > 3", R"(["b","c"])"},
        {"SELECT VALUE c.id FROM c WHERE NOT udf.odd(c.n)", R"(["b","d"])"},
        {"SELECT VALUE c.id FROM c WHERE c.n = udf.same(2)", R"(["b"])"},
        {"SELECT VALUE c.id FROM c WHERE c.n IN (udf.same(1), 3)", R"(["a","c"])"},
        {"SELECT VALUE c.id FROM c WHERE udf.twice(c.n) BETWEEN 4 AND 6", R"(["b","c"])"},
        {"SELECT VALUE udf.twice(udf.twice(c.n)) FROM c", "[4,8,12]"},
        {"SELECT VALUE udf.same(c.name) ?? udf.odd(c.n) FROM c", R"([true,false,true,"Dan"])"},
        {"SELECT udf.odd(c.n) AS odd, COUNT(1) AS many FROM c GROUP BY udf.odd(c.n)",
         R"([{"odd":false,"many":2},{"odd":true,"many":2}])"},
        {"SELECT udf.odd(c.n) AS odd, COUNT(1) AS many FROM c GROUP BY udf.odd(c.n) "
         "ORDER BY udf.odd(c.n) DESC",
         R"([{"odd":true,"many":2},{"odd":false,"many":2}])"},
        {"SELECT VALUE SUM(udf.twice(c.n)) FROM c", "[12]"},
        {"SELECT VALUE COUNT(udf.same(c.name)) FROM c", "[1]"},
        {"SELECT VALUE udf.twice(COUNT(1)) FROM c", "[8]"},
        {"SELECT VALUE COUNT(udf.same(1)) FROM c", "[4]"},
        {"SELECT VALUE [c.id, t] FROM c JOIN t IN (SELECT VALUE udf.list(c.id, c.n)) "
         "WHERE c.n = 1",
         R"([["a","a"],["a",1]])"},
        {"SELECT VALUE x.u FROM c JOIN (SELECT udf.twice(c.n) AS u) AS x WHERE x.u = 6", "[6]"},
        {"SELECT VALUE udf.text(t) FROM c JOIN t IN c.tags WHERE udf.same(t) != 'x'",
         R"(["<\"y\">","<\"z\">"])"},
        {"SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE "
         "udf.same(t) = 'z')",
         R"(["c"])"},
        {"SELECT VALUE ARRAY(SELECT VALUE udf.same(t) FROM t IN c.tags) FROM c WHERE c.n < 3",
         R"([["x","y"],[]])"},
        {"SELECT DISTINCT VALUE udf.odd(c.n) FROM c", "[false,true]"},
        {"SELECT VALUE r FROM (SELECT DISTINCT VALUE udf.odd(c.n) FROM c) AS r", "[false,true]"},
    };
    for (const auto& [query, rows] : cases) {
        for (const std::size_t page_size : {1000UL, 1UL}) {
            EXPECT_EQ(run(query, page_size), rows) << query << " in pages of " << page_size;
        }
    }
    EXPECT_THAT(run("SELECT VALUE c.id FROM c ORDER BY udf.same(c.n)"), HasSubstr("2206"));
    EXPECT_THAT(run("SELECT VALUE c[udf.same('n')] FROM c"), HasSubstr("SC2990"));
}

TEST_F(UdfTest, AreCalledForEveryRowAndNeverFolded) {
    EXPECT_EQ(run("SELECT VALUE udf.next() FROM c"), "[0,1,2,3]");
    EXPECT_EQ(run("SELECT VALUE [c.n = 1, udf.next(1) >= 0] FROM c WHERE udf.next('a') >= 0"),
              "[[true,true],[false,true],[false,true],[true]]");
    udfs_.calls = 0;
    EXPECT_EQ(run("SELECT VALUE c.id FROM c WHERE udf.same(c.n) = 1 AND c.id = 'a'"), R"(["a"])");
    EXPECT_EQ(udfs_.calls, 1) << "the other filter comes first";
}

TEST_F(UdfTest, AreFoundByTheirExactName) {
    EXPECT_EQ(evaluate("udf.Same(1)"),
              R"(error: {"errors":[{"severity":"Error","location":{"start":13,"end":24},"message":)"
              R"("The user-defined function 'Same' could not be found."}]})");
    // Even when no row would call it.
    EXPECT_THAT(run("SELECT VALUE udf.missing(c.n) FROM c WHERE false"), HasSubstr("missing"));
    EXPECT_EQ(evaluate("udf.broken(1)"), "error/65535: does not compile");
    // A built-in function of the same name does not count.
    EXPECT_THAT(evaluate("udf.ABS(1)"), HasSubstr("'ABS' could not be found"));
}

TEST_F(UdfTest, AreRefusedWithoutACaller) {
    EXPECT_THAT(testing_support::evaluate("udf.same(1)"),
                HasSubstr("'same' cannot be called here: only queries on items can do so."));
}

TEST_F(UdfTest, EndTheQueryWhenTheyFail) {
    const std::string_view queries[] = {
        "SELECT VALUE udf.fail() FROM c",
        "SELECT VALUE c.id FROM c WHERE udf.fail()",
        "SELECT VALUE c.id FROM c WHERE c.n = 1 OR udf.fail()",
        "SELECT VALUE SUM(udf.fail()) FROM c",
        "SELECT VALUE COUNT(1) FROM c GROUP BY udf.fail()",
        "SELECT c.n, COUNT(1) AS many FROM c GROUP BY c.n ORDER BY udf.fail()",
        "SELECT VALUE udf.twice(udf.fail()) FROM c",
        "SELECT DISTINCT VALUE udf.fail() FROM c",
        "SELECT VALUE t FROM c JOIN t IN (SELECT VALUE udf.fail())",
        "SELECT VALUE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE udf.fail()) FROM c",
        "SELECT VALUE udf.fail()",
    };
    for (const std::string_view query : queries) {
        EXPECT_EQ(run(query), "error/32766: thrown") << query;
    }
    udfs_.calls = 0;
    run("SELECT VALUE [udf.fail(), udf.fail(), udf.same(udf.fail())] FROM c");
    EXPECT_EQ(udfs_.calls, 1) << "a query that has failed runs no more scripts";
    EXPECT_EQ(run("SELECT VALUE udf.fail() FROM c WHERE c.n > 5"), "[]");
    EXPECT_EQ(run("SELECT VALUE true ? c.id : udf.fail() FROM c"), R"(["a","b","c","d"])");
}

TEST_F(UdfTest, AreTimeCheckedForEveryCall) {
    testing_support::Looks looks;
    std::size_t pages = 0;
    const auto run_late = [&](std::string_view query) {
        Budget::Limits limits = looks.limits(0);
        limits.units_per_look = Budget::kUnitsPerLook;
        pages = 0;
        return testing_support::run(query,
                                    items_,
                                    {.page_size = 1000,
                                     .parameters = {},
                                     .udfs = &udfs_,
                                     .limits = limits,
                                     .pages = &pages});
    };
    // Each page advances by one item, however late it is.
    EXPECT_EQ(run_late("SELECT VALUE c.id FROM c WHERE udf.odd(c.n)"), R"(["a","c"])");
    EXPECT_EQ(pages, 4U);
    EXPECT_EQ(run_late("SELECT VALUE c.id FROM c WHERE c.n = 1"), R"(["a"])");
    EXPECT_EQ(pages, 1U) << "too little work for a look at the clock";
}

TEST_F(UdfTest, ResultsAreLimited) {
    std::string long_text(limits::kFunctionStringBytesMax + 1, 'x');
    udfs_.add("long", [&](std::span<const Value>, Arena&) -> Result<Value> {
        return Value::string(long_text);
    });
    EXPECT_THAT(evaluate("LENGTH(udf.long())"), HasSubstr("exceed the maximum of 8388608"));
    long_text.pop_back();
    EXPECT_EQ(evaluate("LENGTH(udf.long())"), "[8388608]");
    std::string numbers;
    for (int i = 0; i < 40; ++i) {
        numbers += (i == 0 ? "" : ",") + std::to_string(i);
    }
    const std::string many =
        "SELECT VALUE ARRAY(SELECT VALUE udf.long() FROM x IN (SELECT VALUE [" + numbers +
        "])) FROM c";
    EXPECT_THAT(testing_support::run(many,
                                     items_,
                                     {.page_size = 1000,
                                      .parameters = {},
                                      .udfs = &udfs_,
                                      .limits = {.memory_max = limits::kQueryMemoryBytesMax}}),
                HasSubstr("exceed the maximum of 268435456"));
}

}  // namespace udf_test
}  // namespace orrery::sql
