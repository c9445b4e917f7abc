#include "json/walk.h"

#include <gtest/gtest.h>

namespace orrery::json {
namespace {

std::string pieces(std::string_view container) {
    std::string out;
    Walk walk(container);
    while (const auto piece = walk.next()) {
        out.append(piece->name).append("=").append(piece->value).append(";");
    }
    return out;
}

TEST(Walk, IteratesOverOneLevel) {
    EXPECT_EQ(pieces("[]"), "");
    EXPECT_EQ(pieces("{}"), "");
    EXPECT_EQ(pieces(R"([1,"a]",[2,{"x":3}],null])"), R"(=1;="a]";=[2,{"x":3}];=null;)");
    EXPECT_EQ(pieces(R"({"a":1,"b\"":{"c":[]},"d":"\\"})"), R"("a"=1;"b\""={"c":[]};"d"="\\";)");
}

TEST(Walk, DamageEndsIt) {
    EXPECT_EQ(pieces(R"([1,"a)"), "=1;");
    EXPECT_EQ(pieces(R"({"a":1,"b)"), R"("a"=1;)");
    EXPECT_EQ(pieces(R"({"a":1,"b":[1)"), R"("a"=1;)");
    EXPECT_EQ(pieces(""), "");
    EXPECT_EQ(pieces("x"), "");
}

TEST(Walk, FindsMembersByTheirPlainName) {
    EXPECT_EQ(find_member(R"({"a":1,"b":2})", "b"), "2");
    EXPECT_EQ(find_member(R"({"\u0061b":1})", "ab"), "1");
    EXPECT_EQ(find_member(R"({"a\\b":1})", "a\\b"), "1");
    EXPECT_EQ(find_member(R"({"a\\b":1})", "a\\\\b"), std::nullopt);
    EXPECT_EQ(find_member(R"({"a":1})", "c"), std::nullopt);
}

TEST(Walk, PrintsPlainNumbers) {
    std::string out;
    EXPECT_TRUE(append_with_plain_numbers(out, R"({"a":1.0,"b":"1.0","c":[1e2,-0,12]})"));
    EXPECT_EQ(out, R"({"a":1,"b":"1.0","c":[100,0,12]})");
    EXPECT_FALSE(append_with_plain_numbers(out, "[1e400]"));
}

}  // namespace
}  // namespace orrery::json
