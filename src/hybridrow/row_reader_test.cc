#include "hybridrow/row_reader.h"

#include <gmock/gmock.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hybridrow/test_support.h"

namespace orrery::hybridrow {
namespace row_reader_test {

using testing::HasSubstr;

constexpr std::string_view kEmptyRow = "81 01020304 00 00000000 00000000 ";

std::string empty_row_and(std::initializer_list<std::string_view> sparse) {
    std::string out = from_hex(kEmptyRow);
    for (const std::string_view part : sparse) {
        out += from_hex(part);
    }
    return out;
}

void expect_refused(const std::string& bytes, const std::string& why) {
    const auto row = read_row(bytes, kTestSchema);
    ASSERT_FALSE(row) << why;
    EXPECT_EQ(row.error().code(), ErrorCode::kBadRequest);
    EXPECT_THAT(row.error().message(), HasSubstr(why));
}

TEST(RowReader, EveryColumn) {
    const std::string bytes = from_hex(kFullRow);
    const auto row = read_row(bytes, kTestSchema);
    ASSERT_TRUE(row) << row.error().message();
    EXPECT_EQ(*row, full_row());
}

TEST(RowReader, AbsentColumns) {
    const auto row = read_row(from_hex(kEmptyRow), kTestSchema);
    ASSERT_TRUE(row);
    EXPECT_EQ(*row, Row{});
}

TEST(RowReader, AnAbsentFixedColumnHasNoValueWhateverItsBytes) {
    const auto row = read_row(from_hex("81 01020304 02 05000000 06000000"), kTestSchema);
    ASSERT_TRUE(row);
    EXPECT_FALSE(is_present((*row)[kNumber]));
    EXPECT_EQ((*row)[kOther], Value(std::int32_t{6}));
}

TEST(RowReader, SparseFieldsComeInAnyOrder) {
    const std::string bytes = empty_row_and({"14 08 00  02 05"});
    const auto row = read_row(bytes, kTestSchema);
    ASSERT_TRUE(row);
    EXPECT_EQ((*row)[kName], Value(std::string_view()));
    EXPECT_EQ((*row)[kFlag], Value(false));
}

// A path of the schema has a token, but the published reader accepts either form.
TEST(RowReader, APathWrittenOutIsTheSameColumn) {
    const std::string bytes = empty_row_and({"03 0d 666c6167"});
    const auto row = read_row(bytes, kTestSchema);
    ASSERT_TRUE(row);
    EXPECT_EQ((*row)[kFlag], Value(true));
}

// Sizes are from the published LayoutType.cs; the flag that follows shows that no byte is left
// over.
TEST(RowReader, SkipsUnknownScalars) {
    const auto zeros = [](std::size_t count) { return std::string(2 * count, '0'); };
    const std::vector<std::pair<std::string, std::string>> values = {
        {"01", ""},        {"02", ""},        {"03", ""},        {"05", zeros(1)},
        {"06", zeros(2)},  {"07", zeros(4)},  {"08", zeros(8)},  {"09", zeros(1)},
        {"0a", zeros(2)},  {"0b", zeros(4)},  {"0c", zeros(8)},  {"0d", "8001"},
        {"0e", "ac02"},    {"0f", zeros(4)},  {"10", zeros(8)},  {"11", zeros(16)},
        {"12", zeros(8)},  {"13", zeros(16)}, {"14", "02 ffff"}, {"15", "02 ffff"},
        {"16", zeros(16)}, {"17", zeros(8)},  {"18", zeros(12)},
    };
    for (const auto& [type, value] : values) {
        for (const std::string path : {"00", "09", "0b 6162"}) {
            const auto row = read_row(empty_row_and({type, path, value, "03 05"}), kTestSchema);
            ASSERT_TRUE(row) << type << ": " << row.error().message();
            Row only_flag;
            only_flag[kFlag] = true;
            EXPECT_EQ(*row, only_flag) << type;
        }
        if (value.empty()) continue;
        const std::string cut = empty_row_and({type, "0b 6162", value});
        expect_refused(cut.substr(0, cut.size() - 1), "an unknown field does not end within");
    }
}

TEST(RowReader, RefusesUnknownFieldsThatAreNotScalars) {
    for (const std::string type : {"00", "04", "19", "1e", "44", "46", "ff"}) {
        expect_refused(empty_row_and({type, "0b 6162"}), "which is not a scalar");
    }
}

TEST(RowReader, RefusesAnotherVersionOrSchema) {
    expect_refused(from_hex("80 01020304 00 00000000 00000000"), "version 128 instead of 129");
    expect_refused(from_hex("81 02020304 00 00000000 00000000"),
                   "the schema 67305986 instead of 67305985");
}

TEST(RowReader, RefusesColumnsBeyondTheSchema) {
    expect_refused(from_hex("81 01020304 10 00000000 00000000"), "its schema does not have");
}

TEST(RowReader, RefusesRowsThatEndInsideAField) {
    const std::string bytes = from_hex(kFullRow);
    // A row may end after the variable columns and after each sparse field.
    const std::set<std::size_t> ends = {21, 23, 29, 39, 43};
    for (std::size_t length = 0; length <= bytes.size(); ++length) {
        const auto row = read_row(std::string_view(bytes).substr(0, length), kTestSchema);
        EXPECT_EQ(static_cast<bool>(row), ends.contains(length)) << length;
    }
}

TEST(RowReader, RefusesLengthsBeyondTheRow) {
    expect_refused(from_hex("81 01020304 04 00000000 00000000 02 61"),
                   "the field 'text' does not end within the row");
    expect_refused(from_hex("81 01020304 08 00000000 00000000 ffffffffffffffff7f 61"),
                   "the field 'bytes' does not end within the row");
    expect_refused(from_hex("81 01020304 08 00000000 00000000 ffffffffffffffffffff01"),
                   "the field 'bytes' does not end within the row");
    expect_refused(empty_row_and({"14 ffffffffffffffffff01"}), "inside the path of a sparse field");
    expect_refused(empty_row_and({"14 0f 61"}), "inside the path of a sparse field");
    expect_refused(empty_row_and({"14"}), "inside the path of a sparse field");
}

TEST(RowReader, RefusesTextThatIsNotUtf8) {
    expect_refused(from_hex("81 01020304 04 00000000 00000000 02 c328"),
                   "the field 'text' is not valid UTF-8");
    expect_refused(empty_row_and({"14 08 03 eda080"}), "the field 'name' is not valid UTF-8");
}

TEST(RowReader, RefusesWrongTypes) {
    expect_refused(empty_row_and({"15 08 01 61"}), "the field 'name' has the wrong type");
    expect_refused(empty_row_and({"01 08"}), "the field 'name' has the wrong type");
    expect_refused(empty_row_and({"07 06 00000000"}), "the field 'count' has the wrong type");
    expect_refused(empty_row_and({"07 05 01000000"}), "the field 'flag' has the wrong type");
    expect_refused(empty_row_and({"02 08"}), "the field 'name' has the wrong type");
}

TEST(RowReader, RefusesColumnsInTheWrongPlaceOrTwice) {
    expect_refused(empty_row_and({"14 03 01 61"}), "the field 'text' is not sparse");
    expect_refused(empty_row_and({"07 01 00000000"}), "the field 'number' is not sparse");
    expect_refused(empty_row_and({"03 05 02 05"}), "the field 'flag' appears twice");
}

}  // namespace row_reader_test
}  // namespace orrery::hybridrow
