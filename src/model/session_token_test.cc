#include "model/session_token.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace orrery::model {
namespace session_token_test {

using Lsn = std::optional<std::int64_t>;

constexpr std::int64_t kVersion = 5;

Lsn required(std::string_view token,
             std::uint32_t range_id,
             std::vector<std::uint32_t> parents = {}) {
    const auto lsn = required_lsn(token, {.id = range_id, .parents = parents, .version = kVersion});
    EXPECT_TRUE(lsn) << token;
    return lsn ? *lsn : Lsn(-999);
}

TEST(SessionToken, Prints) {
    std::string out;
    append_session_token(out, {.range_id = 3, .version = 5, .lsn = 12}, SessionTokenForm::kVector);
    EXPECT_EQ(out, "3:5#12");
    out += ',';
    append_session_token(out,
                         {.range_id = 0, .lsn = std::numeric_limits<std::int64_t>::max()},
                         SessionTokenForm::kVector);
    EXPECT_EQ(out, "3:5#12,0:-1#9223372036854775807");
    EXPECT_EQ(required(out, 3), 12);
}

TEST(SessionToken, PrintsTheSimpleFormForOldClients) {
    std::string out;
    append_session_token(out, {.range_id = 3, .lsn = 12}, SessionTokenForm::kSimple);
    EXPECT_EQ(out, "3:12");
    EXPECT_EQ(required(out, 3), 12);
}

TEST(SessionToken, EveryFormOfTheGrammar) {
    EXPECT_EQ(required("0:-1#12", 0), 12);
    EXPECT_EQ(required("2:5#345#0=345#4=320", 2), 345);
    EXPECT_EQ(required("0:-1#5,1:-1#3", 0), 5);
    EXPECT_EQ(required("0:-1#5,1:-1#3", 1), 3);
    EXPECT_EQ(required("0:-1#5,", 0), 5);
    EXPECT_EQ(required("0:-1#5, ", 0), 5);
    EXPECT_EQ(required("0:12", 0), 12);
    EXPECT_EQ(required("0:1,1:7#9#1=-1", 1), 9);
    EXPECT_EQ(required("0:-1#-1", 0), -1);
    EXPECT_EQ(required(" 0:-1#5 ,\t1:-1#3", 1), 3);
}

TEST(SessionToken, PredecessorsOfTheContainerDoNotMatter) {
    EXPECT_EQ(required("0:4#12", 0), std::nullopt);
    EXPECT_EQ(required("0:0#12,0:5#7", 0), 7);
    EXPECT_EQ(required("0:6#12", 0), 12) << "a newer one is not satisfied either";
    EXPECT_EQ(required("0:-1#12", 0), 12) << "no version";
}

TEST(SessionToken, OtherRangesDoNotMatter) {
    EXPECT_EQ(required("0:-1#5,1:-1#3", 2), std::nullopt);
    EXPECT_EQ(required("10:-1#5", 1), std::nullopt);
    EXPECT_EQ(required("", 0), std::nullopt);
    EXPECT_EQ(required("  ", 0), std::nullopt);
}

TEST(SessionToken, ParentsCountAndTheHighestWins) {
    EXPECT_EQ(required("0:-1#5", 3, {0, 1}), 5);
    EXPECT_EQ(required("0:-1#5,1:-1#9,3:-1#7,4:-1#100", 3, {0, 1}), 9);
    EXPECT_EQ(required("3:-1#7,3:-1#2", 3), 7);
    EXPECT_EQ(required("0:-1#5", 3, {1}), std::nullopt);
}

TEST(SessionToken, MalformedIsABadRequest) {
    for (const char* token : {"x",
                              "0",
                              "0:",
                              ":5",
                              "0:x",
                              "0:-1#",
                              "0:#5",
                              "0:-1#x",
                              "0:-1#5#",
                              "0:-1#5#1",
                              "0:-1#5#1=",
                              "0:-1#5#=3",
                              "0:-1#5#x=3",
                              "0:-1#5#1=x",
                              "0:-1#5#1=2=3",
                              "0:-1#5#-1=3",
                              "0:-1##5",
                              "-1:-1#5",
                              "M:-1#5",
                              "4294967296:-1#5",
                              "0:-1#9223372036854775808",
                              "0:-1#+5",
                              "0: -1#5",
                              ",0:-1#5",
                              "0:-1#5,,1:-1#3",
                              "0:-1#5,,",
                              ",",
                              "0:-1#5;1:-1#3",
                              "0:-1#5.0",
                              "0:0x5",
                              "0:1:2"}) {
        const auto lsn = required_lsn(token, {.id = 7, .parents = {}, .version = 0});
        ASSERT_FALSE(lsn) << token;
        EXPECT_EQ(lsn.error().code(), ErrorCode::kBadRequest) << token;
    }
}

}  // namespace session_token_test
}  // namespace orrery::model
