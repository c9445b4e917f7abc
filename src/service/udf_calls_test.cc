// UDFs in JavaScript, called from queries on items.

#include "service/udf_calls.h"

#include <gmock/gmock.h>
#include <list>
#include <map>

#include <gtest/gtest.h>

#include "base/random.h"
#include "script/watchdog.h"
#include "service/test_support.h"

namespace orrery::service {
namespace udf_calls_test {

using testing::HasSubstr;
using testing_support::Asked;
using testing_support::code_of;
using testing_support::must;
using testing_support::ServiceTest;

class UdfCallsTest : public ServiceTest {
protected:
    UdfCallsTest() {
        container_ = services_.container("{}", 3);
        for (const std::string_view item : {
                 R"({"id":"a","pk":"1","n":1,"tags":["x","y"],"o":{"deep":[1,{"é":"😀"}]}})",
                 R"({"id":"b","pk":"2","n":9007199254740993,"tags":[]})",
                 R"({"id":"c","pk":"3","n":-2.5,"tags":["z"]})",
                 R"({"id":"d","pk":"4","name":"Dan\n\u0000"})",
             }) {
            EXPECT_TRUE(services_.create(container_, item).answer);
        }
        udfs_ = {{"same", "x => x"},
                 {"kinds", "(...a) => a.map(x => x === null ? 'null' : typeof x).join()"},
                 {"twice", "function (x) { return 2 * x; }"},
                 {"sorted", "x => x.sort((a, b) => a < b ? 1 : -1)"},
                 {"fail", "() => { throw Error(32766, 'mine'); }"},
                 {"spin", "() => { while (true); }"},
                 {"broken", "function ("}};
    }

    Result<QueryAnswer> run(std::string_view query, std::chrono::milliseconds time_limit) {
        const auto session = runtime_->open_udfs(time_limit);
        UdfCalls calls(*session, [this](std::string_view name) -> Result<const script::Script*> {
            ++lookups_;
            const auto found = udfs_.find(name);
            if (found == udfs_.end()) return nullptr;
            return &given_.emplace_back(script::Script{found->first, found->second});
        });
        QueryOptions options;
        options.merge = true;
        return services_.queries->run(
            Asked(), options, *container_, {.body = query, .plain_text = true}, &calls);
    }

    // The rows of all three partitions, or "400/1: message".
    std::string rows(std::string_view query) {
        const auto answer = run(query, std::chrono::seconds(30));
        if (!answer) return code_of(answer) + ": " + std::string(answer.error().message());
        return answer->page.elements;
    }
    std::string value(const std::string& expression) { return rows("SELECT VALUE " + expression); }

    SystemClock system_clock_;
    SeededRandom random_{1};
    script::Watchdog watchdog_;
    std::unique_ptr<script::Runtime> runtime_ =
        script::make_runtime({system_clock_, random_, watchdog_});
    std::map<std::string, std::string, std::less<>> udfs_;
    std::list<script::Script> given_;
    catalog::ContainerPtr container_;
    int lookups_ = 0;
};

TEST_F(UdfCallsTest, ConvertsValuesBothWays) {
    EXPECT_EQ(value("udf.kinds(undefined, null, true, 1.5, 'x', [1], {})"),
              R"("undefined,null,boolean,number,string,object,object")");
    EXPECT_EQ(value("[udf.same(undefined), udf.same(null), udf.same(false), udf.same('')]"),
              R"([null,false,""])");
    EXPECT_EQ(value("udf.same({'a': [1, {'b': 'é\\n'}], 'c': undefined})"),
              R"({"a":[1,{"b":"é\n"}]})");
    EXPECT_EQ(rows("SELECT VALUE udf.same(c.o) FROM c"), R"({"deep":[1,{"é":"😀"}]})");
    EXPECT_EQ(rows("SELECT VALUE udf.same(c.name) FROM c"), R"("Dan\n\u0000")");
    EXPECT_EQ(rows("SELECT VALUE udf.same(c).tags FROM c WHERE c.id = 'a'"), R"(["x","y"])");
    udfs_["several"] = "(...a) => a";
    EXPECT_EQ(rows("SELECT VALUE udf.several([c.n], c.tags, {'t': c.tags}, 'x') FROM c "
                   "WHERE c.id = 'c'"),
              R"([[-2.5],["z"],{"t":["z"]},"x"])");
}

TEST_F(UdfCallsTest, NumbersAreDoubles) {
    EXPECT_EQ(rows("SELECT VALUE udf.same(c.n) FROM c WHERE c.id = 'b'"), "9007199254740992");
    EXPECT_EQ(rows("SELECT VALUE udf.same([c.n])[0] FROM c WHERE c.id = 'b'"), "9007199254740992");
    EXPECT_EQ(value("udf.same(-0.0)"), "0");
    EXPECT_EQ(value("udf.twice(1.25)"), "2.5");
    EXPECT_EQ(value("udf.same(1e300)"), "1e+300");
    EXPECT_THAT(value("udf.twice('a')"), HasSubstr("400/4001"));
    EXPECT_EQ(value("IS_FINITE_NUMBER(udf.twice(1 / 0))"), "false");
    EXPECT_THAT(value("udf.same([1 / 0])"), HasSubstr("400/4001: An argument"));
    udfs_["nan"] = "() => [NaN]";
    EXPECT_EQ(value("udf.nan()"), "[null]");
}

TEST_F(UdfCallsTest, ResultsThatAreNotJson) {
    udfs_["object"] = "() => ({toJSON: () => 'a\\n'})";
    EXPECT_EQ(value("udf.object()"), R"("a\n")");
    udfs_["function"] = "() => () => 1";
    EXPECT_EQ(value("udf.function()"), "");
    udfs_["half"] = "inside => inside ? ['\\ud800'] : '\\ud800'";
    EXPECT_EQ(value("udf.half(false)"), R"("�")");
    EXPECT_THAT(value("udf.half(true)"), HasSubstr("400: The result of a user-defined function"));
    udfs_["deep"] = "n => { let out = 1; while (n-- > 0) out = [out]; return out; }";
    EXPECT_THAT(value("udf.deep(128)"), HasSubstr("[[[1]]]"));
    EXPECT_THAT(value("udf.deep(129)"), HasSubstr("nested too deeply"));
}

TEST_F(UdfCallsTest, AllowedAnywhereInAQuery) {
    EXPECT_EQ(rows("SELECT VALUE c.id FROM c WHERE udf.twice(c.n) < 3 ORDER BY c.id"),
              R"("a","c")");
    EXPECT_EQ(rows("SELECT udf.kinds(c.n) AS k, COUNT(1) AS many FROM c GROUP BY udf.kinds(c.n)"),
              R"({"k":"number","many":3},{"k":"undefined","many":1})");
    EXPECT_EQ(rows("SELECT VALUE MIN(udf.twice(c.n)) FROM c WHERE c.n < 5"), "-5");
    EXPECT_EQ(rows("SELECT VALUE t FROM c JOIN t IN (SELECT VALUE udf.sorted(c.tags)) "
                   "WHERE c.id = 'a'"),
              R"("y","x")");
    EXPECT_EQ(rows("SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE "
                   "udf.same(t) = 'z')"),
              R"("c")");
}

TEST_F(UdfCallsTest, FailuresEndTheQuery) {
    const std::string thrown = rows("SELECT VALUE udf.fail() FROM c");
    EXPECT_THAT(thrown, HasSubstr("400/32766"));
    EXPECT_THAT(thrown, HasSubstr("mine"));
    EXPECT_THAT(value("udf.broken()"), HasSubstr("400/65535"));
    EXPECT_THAT(value("udf.Same(1)"), HasSubstr("400: "));
    EXPECT_THAT(value("udf.Same(1)"), HasSubstr("'Same' could not be found"));
    const auto answer = run("SELECT VALUE udf.spin() FROM c", std::chrono::milliseconds(50));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(value("udf.same(1)"), "1") << "the runtime is still usable";
}

TEST_F(UdfCallsTest, LooksUpEachUdfOnce) {
    EXPECT_EQ(rows("SELECT VALUE udf.same(c.id) FROM c WHERE c.pk = udf.same('1') AND "
                   "udf.same(c.id) = udf.same('a')"),
              R"("a")");
    EXPECT_EQ(lookups_, 1);
}

}  // namespace udf_calls_test
}  // namespace orrery::service
