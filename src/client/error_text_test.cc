#include "client/error_text.h"

#include <gtest/gtest.h>

namespace orrery::client {
namespace error_text_test {

TEST(ErrorTextTest, LeavesOutTheJsonAroundMessages) {
    EXPECT_EQ(error_text(R"(Message: {"errors":[{"message":"One."},{"message":"Two."}]})"),
              "One.; Two.");
    EXPECT_EQ(error_text(R"({"Errors":["One."]})"), "One.");
    EXPECT_EQ(error_text("Message: {\"Errors\":[\"One.\"]}\r\nActivityId: 1, Request URI: /"),
              "One.");
    EXPECT_EQ(error_text("plain {text}"), "plain {text}");
    EXPECT_EQ(error_text(R"({"other":1})"), R"({"other":1})");
}

}  // namespace error_text_test
}  // namespace orrery::client
