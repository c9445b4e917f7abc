#include "client/elements.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

namespace orrery::client {
namespace elements_test {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ElementsTest, AreSlicesOfTheFirstArray) {
    const std::string page =
        R"({"_rid":"x","a":{"b":[1]},"Documents":[{"id":"1","n":[2,[3]]},4,"five",[]],"more":[6]})";
    const auto elements = Elements::of(page);
    ASSERT_TRUE(elements);
    EXPECT_THAT(*elements, ElementsAre(R"({"id":"1","n":[2,[3]]})", "4", R"("five")", "[]"));
    EXPECT_EQ((*elements)[0].data(), page.data() + page.find(R"({"id")"));
    EXPECT_THAT(*Elements::of(R"({"Documents":[]})"), IsEmpty());
    EXPECT_THAT(*Elements::of("{}"), IsEmpty());
}

TEST(ElementsTest, AreMinified) {
    auto elements = Elements::of("{ \"Documents\" : [ { \"a\" : \" b \" } ,\n2 ] }");
    ASSERT_TRUE(elements);
    const Elements moved = *std::move(elements);
    EXPECT_THAT(moved, ElementsAre(R"({"a":" b "})", "2"));
}

TEST(ElementsTest, RefuseWhatIsNotAJsonObject) {
    for (const char* const text : {"", "damaged", "[1]", R"({"Documents":[1])", R"({"a":[1,]})"}) {
        EXPECT_FALSE(Elements::of(text)) << text;
    }
}

TEST(ElementsTest, MayBeAsDeepAsItemsMay) {
    const auto nested = [](std::size_t depth) {
        return R"({"Documents":[)" + std::string(depth, '[') + std::string(depth, ']') + "]}";
    };
    EXPECT_TRUE(Elements::of(nested(128)));
    EXPECT_FALSE(Elements::of(nested(129)));
}

}  // namespace elements_test
}  // namespace orrery::client
