#include "json/binary.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "json/scan.h"

namespace orrery::json {
namespace binary_test {

constexpr std::size_t kMax = 1024;

// "80 2C" -> two bytes
std::string bytes(std::string_view hex) {
    std::string out;
    for (std::size_t at = 0; at + 1 < hex.size(); at += 3) {
        out += static_cast<char>(std::stoi(std::string(hex.substr(at, 2)), nullptr, 16));
    }
    return out;
}

std::string text(std::string_view hex) {
    const auto made = text_of_binary(bytes(hex), kMax);
    return made ? *made : "error: " + made.error().message();
}

std::string repeated(std::string_view hex, int times) {
    std::string out;
    for (int i = 0; i < times; ++i)
        out += std::string(hex) + " ";
    return out;
}

TEST(BinaryJson, IsToldByItsFirstByte) {
    EXPECT_TRUE(is_binary(bytes("80 D0")));
    EXPECT_FALSE(is_binary(R"({"id":"1"})"));
    EXPECT_FALSE(is_binary(""));
}

TEST(BinaryJson, Literals) {
    EXPECT_EQ(text("80 D0"), "null");
    EXPECT_EQ(text("80 D1"), "false");
    EXPECT_EQ(text("80 D2"), "true");
    EXPECT_EQ(text("80 00"), "0");
    EXPECT_EQ(text("80 1F"), "31");
}

TEST(BinaryJson, Integers) {
    EXPECT_EQ(text("80 C8 FF"), "255");
    EXPECT_EQ(text("80 C9 FF FF"), "-1");
    EXPECT_EQ(text("80 CA 00 00 00 80"), "-2147483648");
    EXPECT_EQ(text("80 CB FF FF FF FF FF FF FF 7F"), "9223372036854775807");
    EXPECT_EQ(text("80 C7 FF FF FF FF FF FF FF FF"), "18446744073709551615");
    EXPECT_EQ(text("80 D7 FF"), "255");
    EXPECT_EQ(text("80 D8 FF"), "-1");
    EXPECT_EQ(text("80 D9 00 80"), "-32768");
    EXPECT_EQ(text("80 DA FE FF FF FF"), "-2");
    EXPECT_EQ(text("80 DB 00 00 00 00 00 00 00 80"), "-9223372036854775808");
    EXPECT_EQ(text("80 DC FF FF FF FF"), "4294967295");
}

TEST(BinaryJson, Doubles) {
    EXPECT_EQ(text("80 CC 9A 99 99 99 99 99 B9 3F"), "0.1");
    EXPECT_EQ(text("80 CE 00 00 00 00 00 00 F8 BF"), "-1.5");
    EXPECT_EQ(text("80 CC 00 00 00 00 00 00 08 40"), "3");
    EXPECT_EQ(text("80 CD 00 00 20 40"), "2.5");
    EXPECT_THAT(text("80 CC 00 00 00 00 00 00 F0 7F"), testing::HasSubstr("number"));
    EXPECT_THAT(text("80 CF 00 3C"), testing::HasSubstr("unknown marker"));
}

TEST(BinaryJson, Strings) {
    EXPECT_EQ(text("80 80"), R"("")");
    EXPECT_EQ(text("80 83 61 22 0A"), R"("a\"\n")");
    EXPECT_EQ(text("80 82 C3 A9"), "\"\xC3\xA9\"");
    EXPECT_EQ(text("80 20"), R"("$s")");
    EXPECT_EQ(text("80 2C"), R"("id")");
    EXPECT_EQ(text("80 3F"), R"("_id")");
    EXPECT_EQ(text("80 C0 01 61"), R"("a")");
    EXPECT_EQ(text("80 C1 01 00 61"), R"("a")");
    EXPECT_EQ(text("80 C2 01 00 00 00 61"), R"("a")");
    EXPECT_THAT(text("80 40"), testing::HasSubstr("unknown marker"));
    EXPECT_THAT(text("80 67 00"), testing::HasSubstr("unknown marker"));
}

TEST(BinaryJson, CompressedStrings) {
    EXPECT_EQ(text("80 78 03 21 0F"), R"("12f")");
    EXPECT_EQ(text("80 79 02 BA"), R"("AB")");
    EXPECT_EQ(text("80 7A 04 13 3B"), R"("20:2")");
    // 'a' to 'd' as 0 to 3 past the base, four, five and six bits each.
    EXPECT_EQ(text("80 7B 04 61 10 32"), R"("abcd")");
    EXPECT_EQ(text("80 7C 04 61 20 88 01"), R"("abcd")");
    EXPECT_EQ(text("80 7D 04 61 40 20 0C"), R"("abcd")");
    EXPECT_EQ(text("80 7E 04 61 F1 98 0C"), R"("abcd")");
    EXPECT_EQ(text("80 7F 04 00 61 F1 98 0C"), R"("abcd")");
    EXPECT_THAT(text("80 7B 01 7F 0F"), testing::HasSubstr("ASCII"));
}

TEST(BinaryJson, Base64) {
    EXPECT_EQ(text("80 71 01 00 FB EF BE"), R"("++++")");
    EXPECT_EQ(text("80 73 01 00 FB EF BE"), R"("----")");
    EXPECT_EQ(text("80 72 01 00 01 61 62"), R"("YWI=")");
    EXPECT_EQ(text("80 74 01 00 FE 61 62"), R"("YWI")");
    EXPECT_EQ(text("80 71 01 FD 61"), R"("YQ")");
    EXPECT_THAT(text("80 71 01 03 61"), testing::HasSubstr("padding"));
    EXPECT_THAT(text("80 71 00 01"), testing::HasSubstr("padding"));
    EXPECT_EQ(text("80 DD 02 61 62"), R"("YWI=")");
    EXPECT_EQ(text("80 DE 00 00"), R"("")");
}

TEST(BinaryJson, Guids) {
    const std::string digits = "10 32 54 76 98 BA DC FE 10 32 54 76 98 BA DC FE";
    EXPECT_EQ(text("80 75 " + digits), R"("01234567-89ab-cdef-0123-456789abcdef")");
    EXPECT_EQ(text("80 76 " + digits), R"("01234567-89AB-CDEF-0123-456789ABCDEF")");
    EXPECT_EQ(text("80 77 " + digits), R"("\"01234567-89ab-cdef-0123-456789abcdef\"")");
    EXPECT_EQ(text("80 D3 67 45 23 01 AB 89 EF CD 01 23 45 67 89 AB CD EF"),
              R"("01234567-89ab-cdef-0123-456789abcdef")");
}

TEST(BinaryJson, References) {
    EXPECT_EQ(text("80 E2 04 81 61 C3 03"), R"(["a","a"])");
    EXPECT_EQ(text("80 E2 05 81 61 C4 03 00"), R"(["a","a"])");
    EXPECT_EQ(text("80 E2 06 81 61 C5 03 00 00"), R"(["a","a"])");
    EXPECT_EQ(text("80 E2 07 81 61 C6 03 00 00 00"), R"(["a","a"])");
    EXPECT_EQ(text("80 EA 06 81 61 01 C3 03 02"), R"({"a":1,"a":2})");
    EXPECT_THAT(text("80 E2 04 81 61 C3 09"), testing::HasSubstr("reference"));
    EXPECT_THAT(text("80 E2 04 C3 05 C3 03"), testing::HasSubstr("reference"));  // a chain
    EXPECT_THAT(text("80 E2 03 01 C3 03"), testing::HasSubstr("reference"));     // a number
}

TEST(BinaryJson, ArraysAndObjects) {
    EXPECT_EQ(text("80 E0"), "[]");
    EXPECT_EQ(text("80 E1 01"), "[1]");
    EXPECT_EQ(text("80 E2 02 01 02"), "[1,2]");
    EXPECT_EQ(text("80 E3 02 00 01 02"), "[1,2]");
    EXPECT_EQ(text("80 E4 02 00 00 00 01 02"), "[1,2]");
    EXPECT_EQ(text("80 E5 02 02 01 02"), "[1,2]");
    EXPECT_EQ(text("80 E6 02 00 02 00 01 02"), "[1,2]");
    EXPECT_EQ(text("80 E7 02 00 00 00 02 00 00 00 01 02"), "[1,2]");
    EXPECT_EQ(text("80 E8"), "{}");
    EXPECT_EQ(text("80 E9 2C 81 31"), R"({"id":"1"})");
    EXPECT_EQ(text("80 EA 05 82 6E 6F E1 D0"), R"({"no":[null]})");
    EXPECT_EQ(text("80 EB 05 00 82 6E 6F E1 D0"), R"({"no":[null]})");
    EXPECT_EQ(text("80 EC 03 00 00 00 81 61 E8"), R"({"a":{}})");
    EXPECT_EQ(text("80 ED 04 02 2C 01 35 02"), R"({"id":1,"name":2})");
    EXPECT_EQ(text("80 EE 02 00 01 00 2C 01"), R"({"id":1})");
    EXPECT_EQ(text("80 EF 02 00 00 00 01 00 00 00 2C 01"), R"({"id":1})");
    EXPECT_THAT(text("80 E5 02 03 01 02"), testing::HasSubstr("count"));
    EXPECT_THAT(text("80 E2 01 C8 01"), testing::HasSubstr("length"));
    EXPECT_THAT(text("80 E9 01 01"), testing::HasSubstr("property name"));
}

TEST(BinaryJson, UniformNumberArrays) {
    EXPECT_EQ(text("80 F0 D8 03 01 FF 7F"), "[1,-1,127]");
    EXPECT_EQ(text("80 F1 D9 02 00 01 00 FF FF"), "[1,-1]");
    EXPECT_EQ(text("80 F0 CD 01 00 00 20 40"), "[2.5]");
    EXPECT_EQ(text("80 F0 D7 00"), "[]");
    EXPECT_EQ(text("80 F2 F0 D7 02 02 01 02 03 04"), "[[1,2],[3,4]]");
    EXPECT_EQ(text("80 F3 F1 D7 01 00 02 00 01 02"), "[[1],[2]]");
    EXPECT_THAT(text("80 F2 F1 D7 01 00 02 00 01 02"), testing::HasSubstr("unknown marker"));
    EXPECT_THAT(text("80 F0 81 01 61"), testing::HasSubstr("unknown marker"));
}

TEST(BinaryJson, EveryCutIsRefused) {
    const std::string whole = bytes(
        "80 ED 2F 05 2C 81 31 81 61 E5 0A 02 CC 9A 99 99 99 99 99 B9 3F 01 81 62 F0 D8 02 01 02 "
        "35 75 10 32 54 76 98 BA DC FE 10 32 54 76 98 BA DC FE 82 63 64 D0");
    const auto made = text_of_binary(whole, kMax);
    ASSERT_TRUE(made) << made.error().message();
    for (std::size_t size = 1; size < whole.size(); ++size) {
        EXPECT_FALSE(text_of_binary(whole.substr(0, size), kMax)) << size;
    }
    EXPECT_THAT(text("80"), testing::HasSubstr("unexpected end"));
    EXPECT_THAT(text("80 01 01"), testing::HasSubstr("after the value"));
}

TEST(BinaryJson, DepthAndSizeAreBounded) {
    EXPECT_EQ(text("80 " + repeated("E1", kDepthMax) + "01"),
              std::string(kDepthMax, '[') + "1" + std::string(kDepthMax, ']'));
    EXPECT_THAT(text("80 " + repeated("E1", kDepthMax + 1) + "01"), testing::HasSubstr("deep"));
    // 100 references to one string of 100 bytes.
    const std::string many = "80 E3 2E 01 C0 64 " + repeated("61", 100) + repeated("C3 04", 100);
    const auto refused = text_of_binary(bytes(many), kMax);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kTooLarge);
    EXPECT_TRUE(text_of_binary(bytes(many), 20'000));
}

}  // namespace binary_test
}  // namespace orrery::json
