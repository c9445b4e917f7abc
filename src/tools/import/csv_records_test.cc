#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "tools/import/columns.h"
#include "tools/import/test_support.h"

namespace orrery::tools {
namespace csv_records_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> csv(const std::string& text,
                             const CsvOptions& options = {},
                             std::size_t piece = 1) {
    return all_records([&](TextCursor& cursor) { return read_csv(cursor, options); }, text, piece);
}

// What is wrong with the columns.
std::string problem(const std::vector<std::string>& header) {
    const auto columns = Columns::parse(header);
    return columns ? "" : columns.error().message();
}

TEST(CsvRecordsTest, ReadsRows) {
    for (const std::size_t piece : {1, 100'000}) {
        EXPECT_THAT(csv("\xEF\xBB\xBFid,n,s\r\n1,2.50,x\r\n\r\n02,-1e3,\"a \"\"b\"\",\r\nc\"\r\n",
                        {},
                        piece),
                    ElementsAre(R"(2: {"id":"1","n":2.50,"s":"x"})",
                                R"(4: {"id":"02","n":-1e3,"s":"a \"b\",\r\nc"})"));
    }
    EXPECT_THAT(csv("a\tb\n1,2\tx", {.delimiter = '\t'}), ElementsAre(R"(2: {"a":"1,2","b":"x"})"));
    EXPECT_THAT(csv(""), IsEmpty());
    EXPECT_THAT(csv("id,a\n"), IsEmpty());
}

TEST(CsvRecordsTest, FindsTypesOfUnquotedCells) {
    EXPECT_THAT(
        csv("a,b,c,d,e,f,g,h\ntrue,false,null,[],{},007,,1.\n"),
        ElementsAre(R"(2: {"a":true,"b":false,"c":null,"d":[],"e":{},"f":"007","h":"1."})"));
    EXPECT_THAT(csv("a,b,c\n\"true\",\"1\",\"\"\n"),
                ElementsAre(R"(2: {"a":"true","b":"1","c":""})"));
    EXPECT_THAT(csv("a,b,c\ntrue,1,\n", {.plain_strings = true}),
                ElementsAre(R"(2: {"a":"true","b":"1"})"));
}

TEST(CsvRecordsTest, NestsColumns) {
    EXPECT_THAT(csv("id,x.tags[1],x.tags[0],x.b.c,a\\.b,m[0][0].k,m[0][1]\n"
                    "1,two,one,3,4,5,6\n2,two,,,,,6\n3,,,,,,\n"),
                ElementsAre(R"(2: {"id":"1","x":{"tags":["one","two"],"b":{"c":3}},"a.b":4,)"
                            R"("m":[[{"k":5},6]]})",
                            R"(3: {"id":"2","x":{"tags":["two"]},"m":[[6]]})",
                            R"(4: {"id":"3"})"));
}

TEST(CsvRecordsTest, TakesOneKindOfValueARow) {
    EXPECT_THAT(csv("id,a,a[0],a.b\n1,null,,\n2,,7,\n3,,,8\n4,[],,\n5,1,2,\n6,,2,3\n7,,,\n"),
                ElementsAre(R"(2: {"id":"1","a":null})",
                            R"(3: {"id":"2","a":[7]})",
                            R"(4: {"id":"3","a":{"b":8}})",
                            R"(5: {"id":"4","a":[]})",
                            AllOf(HasSubstr("6! column 'a'"), HasSubstr("of two kinds: 5,1,2,")),
                            HasSubstr("7! column 'a'"),
                            R"(8: {"id":"7"})"));
}

TEST(CsvRecordsTest, ReportsRowsThatAreWrong) {
    EXPECT_THAT(csv("a,b\n1\n1,2,3\n\"x\"y,2\n1,2\n\"open,2\n"),
                ElementsAre("2! the row has 1 cells and the header 2: 1",
                            "3! the row has 3 cells and the header 2: 1,2,3",
                            "4! there is text after a closing quote: xy,2",
                            R"(5: {"a":1,"b":2})",
                            "6! a quote is not closed: open,2\n"));
    const std::string cells(kColumnsMax, ',');
    EXPECT_THAT(csv("a\n" + cells + "\n1\n", {}, 1 << 16),
                ElementsAre(HasSubstr("the row has more than 10,000 cells"), R"(3: {"a":1})"));
    EXPECT_THAT(csv("a\n\"" + std::string(kRecordBytesMax, 'x') + "y\"\n1\n", {}, 1 << 16),
                ElementsAre(HasSubstr("the record is larger than 16 MB"), R"(3: {"a":1})"));
    EXPECT_THAT(csv("a\n" + std::string(1'000'000, 'x') + "\n", {}, 1 << 16),
                ElementsAre(HasSubstr("2: {\"a\":\"xxx")));
}

TEST(CsvRecordsTest, RefusesHeadersThatAreWrong) {
    EXPECT_THAT(csv("a,\"b\n1,2\n"), ElementsAre(HasSubstr("error: the header is not CSV")));
    EXPECT_THAT(csv("a,\xff\n"), ElementsAre("error: the header is not UTF-8"));
    EXPECT_THAT(problem({"a", "a"}), HasSubstr("is there twice"));
    EXPECT_THAT(problem({"a", ""}), HasSubstr("has no name"));
    EXPECT_THAT(problem({"[0]"}), HasSubstr("does not begin with a name"));
    EXPECT_THAT(problem({"a[x]"}), HasSubstr("without a position"));
    EXPECT_THAT(problem({"a[1"}), HasSubstr("without a position"));
    EXPECT_THAT(problem({"a[10000]"}), HasSubstr("above 9999"));
    EXPECT_THAT(problem({"a[0]b"}), HasSubstr("after ']'"));
    std::string deep = "a";
    for (int i = 0; i < 128; ++i) {
        deep += ".a";
    }
    EXPECT_THAT(problem({deep}), HasSubstr("nested too deeply"));
    EXPECT_EQ(problem({"a", "b..c", "a\\", "d\\[0]"}), "");
}

}  // namespace csv_records_test
}  // namespace orrery::tools
