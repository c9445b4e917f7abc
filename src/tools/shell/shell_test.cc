// The parts of the shell that need no server.

#include <filesystem>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/files.h"
#include "tools/partition_key_argument.h"
#include "tools/shell/explain.h"
#include "tools/shell/history.h"
#include "tools/shell/items.h"
#include "tools/shell/queries.h"
#include "tools/shell/results.h"
#include "tools/shell/session.h"
#include "tools/shell/throughput.h"

namespace orrery::tools {
namespace shell_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(PlaceTest, IsNamed) {
    const Place container{.database = "db", .container = "c"};
    EXPECT_EQ(*parse_place("db/c", {}), container);
    EXPECT_EQ(*parse_place("db/", container), (Place{.database = "db", .container = ""}));
    EXPECT_EQ(*parse_place("a b/c d", {}), (Place{.database = "a b", .container = "c d"}));
    EXPECT_EQ(*parse_place("..", container), (Place{.database = "db", .container = ""}));
    EXPECT_EQ(*parse_place("..", *parse_place("db", {})), Place{});
    EXPECT_EQ(*parse_place("/", container), Place{});
    for (const char* wrong : {"/c", "a/b/c", "a//", "//"}) {
        EXPECT_FALSE(parse_place(wrong, {})) << wrong;
    }
}

TEST(ItemNameTest, IsAnIdAndMaybeAKey) {
    EXPECT_EQ(parse_item_name("a")->id, "a");
    EXPECT_FALSE(parse_item_name("a")->partition_key);
    EXPECT_EQ(*parse_item_name("a \"x y\"")->partition_key, "[\"x y\"]");
    EXPECT_EQ(parse_item_name(R"("a b\"" [1,null])")->id, "a b\"");
    EXPECT_EQ(*parse_item_name(R"("a b" [1,null])")->partition_key, "[1,null]");
    EXPECT_THAT(parse_item_name("a b").error().message(), HasSubstr("'b' is not"));
    EXPECT_FALSE(parse_item_name(""));
    EXPECT_FALSE(parse_item_name("\"a"));
    EXPECT_FALSE(partition_key_argument("{}"));
}

TEST(ThroughputTest, IsParsed) {
    EXPECT_EQ(*parse_throughput("400"), (Throughput{.units = 400, .autoscale = false}));
    EXPECT_EQ(*parse_throughput("auto 4000"), (Throughput{.units = 4000, .autoscale = true}));
    EXPECT_EQ(parse_throughput("auto 4000")->text(), "autoscale up to 4,000 RU/s");
    for (const char* wrong : {"auto", "x", "-1", "400 RU", "0", "4000 auto"}) {
        EXPECT_FALSE(parse_throughput(wrong)) << wrong;
    }
}

TEST(MetricsTest, AreParsedWithoutRatios) {
    EXPECT_THAT(parse_metrics("a=1.50;indexHitRatio=1;;x;b=2;c=y"),
                ElementsAre(Pair("a", 1.5), Pair("b", 2)));
}

TEST(CostTest, AddsUp) {
    QueryCost all{.items = 1, .pages = 1, .charge = 2.5, .elapsed = std::chrono::milliseconds(3)};
    all.metrics = {{"a", 1}};
    QueryCost more = all;
    more.metrics = {{"b", 1}, {"a", 2}};
    all.add(more);
    EXPECT_EQ(all.text(), "2 items · 5.00 RU · 6.0 ms");
    EXPECT_THAT(all.metrics, ElementsAre(Pair("a", 3), Pair("b", 1)));
}

TEST(ExplanationTest, IsFlattened) {
    const auto value = json::Value::parse(
        R"({"coveredByIndex":false,"indexes":{"paths":["/a/?","/b/?"],"composites":[["/a","/b"]]},)"
        R"("potential":{"paths":[]},"VMTimeInMs":1.5,"query":"a\nb"})");
    EXPECT_THAT(flattened(*value),
                ElementsAre(Pair("covered by index", "no"),
                            Pair("indexes paths", "/a/?, /b/?"),
                            Pair("indexes composites", "(/a, /b)"),
                            Pair("vm time in ms", "1.5"),
                            Pair("query", "a b")));
}

TEST(IndentedTest, KeepsEveryValue) {
    EXPECT_EQ(indented(R"({"a":[1.50,{}],"b":{"c":"d"},"e":[]})"),
              "{\n  \"a\": [\n    1.50,\n    {}\n  ],\n  \"b\": {\n    \"c\": \"d\"\n  },\n"
              "  \"e\": []\n}");
    EXPECT_EQ(indented("1"), "1");
}

class HistoryTest : public testing::Test {
protected:
    void TearDown() override { std::filesystem::remove_all(directory_); }

    const std::string directory_ =
        testing::TempDir() + "orrery-history-" + std::to_string(::getpid());
    const std::string file_ = directory_ + "/state/history";
};

TEST_F(HistoryTest, IsKeptForItsUserOnly) {
    History history(file_);
    EXPECT_THAT(*history.load(), ElementsAre());
    ASSERT_TRUE(history.add("first"));
    ASSERT_TRUE(history.add("second"));
    EXPECT_THAT(*History(file_).load(), ElementsAre("first", "second"));
    struct stat status {};
    ASSERT_EQ(::stat(file_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(HistoryTest, DoesNotGrowForEver) {
    History history(file_);
    for (int i = 0; i < 2001; ++i) {
        ASSERT_TRUE(history.add(std::to_string(i)));
    }
    EXPECT_EQ(history.load()->size(), 1000U);
    EXPECT_EQ(history.load()->back(), "2000");
    EXPECT_LT(read_file(file_)->size(), 6000U);
    struct stat status {};
    ASSERT_EQ(::stat(file_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(HistoryTest, MayBeImpossible) {
    EXPECT_TRUE(History("").add("nowhere"));
    EXPECT_FALSE(History("/dev/null/history").add("x"));
}

}  // namespace shell_test
}  // namespace orrery::tools
