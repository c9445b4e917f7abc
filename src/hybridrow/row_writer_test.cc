#include "hybridrow/row_writer.h"

#include <gtest/gtest.h>

#include "hybridrow/test_support.h"

namespace orrery::hybridrow {
namespace row_writer_test {

std::string written(const Row& row) {
    std::string out;
    append_row(out, kTestSchema, row);
    return to_hex_upper(out);
}

std::string expected(std::string_view hex) { return to_hex_upper(from_hex(hex)); }

TEST(RowWriter, EveryColumn) { EXPECT_EQ(written(full_row()), expected(kFullRow)); }

TEST(RowWriter, AbsentColumnsTakeNoSpaceUnlessFixed) {
    EXPECT_EQ(written(Row{}), expected("81 01020304 00 00000000 00000000"));
    Row row;
    row[kOther] = std::int32_t{1};
    row[kBytes] = std::string_view("b");
    EXPECT_EQ(written(row), expected("81 01020304 0a 00000000 01000000 01 62"));
}

TEST(RowWriter, FalseHasItsOwnType) {
    Row row;
    row[kFlag] = false;
    EXPECT_EQ(written(row), expected("81 01020304 00 00000000 00000000 02 05"));
}

TEST(RowWriter, LengthsFrom128OnTakeTwoBytes) {
    Row row;
    const std::string text(300, 'x');
    row[kText] = std::string_view(text);
    EXPECT_EQ(written(row), expected("81 01020304 04 00000000 00000000 ac02") + to_hex_upper(text));
}

}  // namespace row_writer_test
}  // namespace orrery::hybridrow
