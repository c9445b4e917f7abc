#include "model/names.h"

#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "model/test_support.h"

namespace orrery::model {
namespace names_test {

using testing::HasSubstr;
using testing_support::refusal;

std::string repeated(std::string_view text, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) {
        out += text;
    }
    return out;
}

TEST(ResourceName, AcceptsAnyCharacterThatIsNotReserved) {
    for (const char* name :
         {"a", "orders 2024", " leading", "日本語", "a%20b", "q'\"<>", "AQAAAA=="}) {
        EXPECT_TRUE(check_resource_name(name)) << name;
    }
}

TEST(ResourceName, LengthIsCountedInCharacters) {
    EXPECT_TRUE(check_resource_name(std::string(255, 'a')));
    EXPECT_TRUE(check_resource_name(repeated("é", 255)));
    EXPECT_TRUE(check_resource_name(repeated("😀", 255)));
    const std::string text = "unique non-empty string less than '255' characters";
    EXPECT_THAT(refusal(check_resource_name(std::string(256, 'a'))), HasSubstr(text));
    EXPECT_THAT(refusal(check_resource_name(repeated("é", 256))), HasSubstr(text));
    EXPECT_THAT(refusal(check_resource_name("")), HasSubstr(text));
}

TEST(ResourceName, ReservedCharactersAreRefused) {
    for (const char* name : {"a/b", "a\\b", "a#b", "a?b", "/", "#"}) {
        EXPECT_THAT(refusal(check_resource_name(name)), HasSubstr("contains one of")) << name;
    }
    EXPECT_THAT(refusal(check_resource_name("trailing ")), HasSubstr("ends in a space"));
}

TEST(ItemId, LengthIsCountedInBytes) {
    EXPECT_TRUE(check_item_id(std::string(1023, 'a')));
    EXPECT_THAT(refusal(check_item_id(std::string(1024, 'a'))), HasSubstr("less than '1024'"));
    EXPECT_TRUE(check_item_id(repeated("é", 511)));
    EXPECT_THAT(refusal(check_item_id(repeated("é", 512))), HasSubstr("less than '1024'"));
    EXPECT_THAT(refusal(check_item_id("")), HasSubstr("must not be empty"));
}

// Ids that the service accepts although it cannot always find them by name afterwards.
TEST(ItemId, OnlyTheBackslashIsRefused) {
    for (const char* id :
         {"a/b", "a?b", "a#b", "trailing ", " x", "a%20b", "a\nb", "\"'<>!@$&()"}) {
        EXPECT_TRUE(check_item_id(id)) << id;
    }
    EXPECT_TRUE(check_item_id(std::string_view("a\0b", 3)));
    EXPECT_THAT(refusal(check_item_id("a\\b")), HasSubstr("must not contain"));
}

}  // namespace names_test
}  // namespace orrery::model
