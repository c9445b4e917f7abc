#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "tools/import/test_support.h"

namespace orrery::tools {
namespace json_records_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Lines = std::vector<std::string>;

Lines json(const std::string& text, std::size_t piece = 1) {
    return all_records([](TextCursor& cursor) { return read_json(cursor); }, text, piece);
}
Lines lines(const std::string& text, std::size_t piece = 1) {
    return all_records([](TextCursor& cursor) { return read_lines(cursor); }, text, piece);
}

TEST(JsonRecordsTest, ReadsArrays) {
    for (const std::size_t piece : {1, 3, 100'000}) {
        EXPECT_THAT(json("\xEF\xBB\xBF [ {\"a\":\"]}\\\"\"},\n[1,{}] ,\r\n 7,\"x\" ]\n", piece),
                    ElementsAre("1: {\"a\":\"]}\\\"\"}", "2: [1,{}]", "3: 7", "3: \"x\""));
    }
    EXPECT_THAT(json("[]"), IsEmpty());
    EXPECT_THAT(json(""), IsEmpty());
    EXPECT_THAT(json(" \n "), IsEmpty());
}

TEST(JsonRecordsTest, ReadsValuesOneAfterAnother) {
    EXPECT_THAT(json("{\n \"a\": 1\n}\n{\"b\":2}{\"c\":3}"),
                ElementsAre("1: {\n \"a\": 1\n}", "4: {\"b\":2}", "4: {\"c\":3}"));
}

TEST(JsonRecordsTest, DamageAffectsOneRecordWhereItCan) {
    EXPECT_THAT(json("[{\"a\":},{\"b\":2}]"), ElementsAre("1: {\"a\":}", "1: {\"b\":2}"));
    EXPECT_THAT(json("[{\"a\":1},\n{\"b\":"),
                ElementsAre("1: {\"a\":1}",
                            "2! the input ends inside a value: {\"b\":",
                            "2! the array is not closed: the input ends early: "));
    EXPECT_THAT(json("[{\"a\":\"x"),
                ElementsAre("1! the input ends inside a string: {\"a\":\"x",
                            "1! the array is not closed: the input ends early: "));
    EXPECT_THAT(json("[1]\n{}"), ElementsAre("1: 1", "2! there is more text after the array: {}"));
    EXPECT_THAT(json("} {}"), ElementsAre("1: }", "1: {}"));
}

TEST(JsonRecordsTest, ReadsLines) {
    for (const std::size_t piece : {1, 100'000}) {
        EXPECT_THAT(lines("\xEF\xBB\xBF{\"a\":1}\r\n\n  \n{\"b\":\n}\n{\"c\":3}", piece),
                    ElementsAre("1: {\"a\":1}\r", "4: {\"b\":", "5: }", "6: {\"c\":3}"));
    }
    EXPECT_THAT(lines(""), IsEmpty());
    EXPECT_THAT(lines("\n\r\n"), IsEmpty());
}

TEST(JsonRecordsTest, DoesNotKeepHugeRecords) {
    const std::string huge(kRecordBytesMax + 1, ' ');
    const std::string record = "{\"a\":\"" + huge + "\"}";
    EXPECT_THAT(lines(record + "\n{}", 1 << 16),
                ElementsAre(HasSubstr("1! the record is larger than 16 MB"), "2: {}"));
}

}  // namespace json_records_test
}  // namespace orrery::tools
