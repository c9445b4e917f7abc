#include "tools/shell/table.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "tools/shell/text.h"

namespace orrery::tools {
namespace table_test {

using testing::Each;
using testing::ElementsAre;
using testing::Le;
using testing::ResultOf;
using testing::SizeIs;

Table table_of(const std::vector<std::string>& elements) {
    Table out;
    for (const std::string& element : elements) {
        out.add(element);
    }
    return out;
}

TEST(TableTest, HasAColumnForEachProperty) {
    const Table table =
        table_of({R"({"id":"1","n":5})", R"({"id":"22","on":true,"o":{"a":[1,null]}})"});
    EXPECT_THAT(table.lines(0),
                ElementsAre("id | n | on   | o",
                            "---+---+------+---------------",
                            "1  | 5 |      |",
                            R"(22 |   | true | {"a":[1,null]})"));
}

TEST(TableTest, ShowsValuesThatAreNoObjects) {
    EXPECT_THAT(table_of({"1", "\"a\\nb\"", "null", "-20"}).lines(0),
                ElementsAre("value", "-----", "    1", "a\\nb", "null", "  -20"));
}

TEST(TableTest, AlignsWideCharacters) {
    EXPECT_THAT(table_of({R"({"a":"世","b":1})", R"({"a":"xyz","b":2})"}).lines(0),
                ElementsAre("a   | b", "----+--", "世  | 1", "xyz | 2"));
}

TEST(TableTest, LeavesOutWhatTheServerAddsToItems) {
    constexpr const char* kItem =
        R"({"id":"1","_rid":"r","_self":"s","_etag":"e","_attachments":"a/","_ts":1})";
    EXPECT_THAT(table_of({kItem}).lines(0), ElementsAre("id", "--", "1"));
    // Asked for.
    EXPECT_THAT(table_of({R"({"_ts":1})"}).lines(0), ElementsAre("_ts", "---", "  1"));
}

TEST(TableTest, FitsTheWidth) {
    const std::string wide(100, 'x');
    const Table table = table_of({R"({"id":"12","a":")" + wide + R"(","b":")" + wide + "\"}"});
    const auto lines = table.lines(40);
    EXPECT_THAT(lines, Each(ResultOf(display_width, Le(40U))));
    EXPECT_EQ(lines[2], "12 | xxxxxxxxxxxxxxx… | xxxxxxxxxxxxxxx…");
}

TEST(TableTest, NamesTheColumnsThatDoNotFit) {
    Table table = table_of({R"({"aaaaaa":"123456","bbbbbb":"123456","c":"123456","d":"123456"})"});
    const auto lines = table.lines(20);
    ASSERT_THAT(lines, SizeIs(4));
    EXPECT_EQ(lines[2], "123456 | 123456");
    EXPECT_EQ(lines[3], "(too narrow for c, …");
    // However narrow it is.
    EXPECT_THAT(table.lines(1), SizeIs(4));
}

TEST(TableTest, MayBeEmpty) {
    EXPECT_THAT(table_of({"{}", "{}"}).lines(80), ElementsAre("", "", "", ""));
}

TEST(TableTest, EscapesNamesAndValues) {
    EXPECT_THAT(table_of({R"({"a\u001b[2J":"b\u001b[2J"})"}).lines(0),
                ElementsAre("a\\u001b[2J", "----------", "b\\u001b[2J"));
}

}  // namespace table_test
}  // namespace orrery::tools
