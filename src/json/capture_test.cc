#include "json/capture.h"

#include <gtest/gtest.h>

#include "json/walk.h"

namespace orrery::json {
namespace capture_test {

TEST(Path, ParsesPlainNestedAndQuoted) {
    EXPECT_EQ(*parse_path("/department"), (Path{"department"}));
    EXPECT_EQ(*parse_path("/properties/name"), (Path{"properties", "name"}));
    EXPECT_EQ(*parse_path("/\"department name\""), (Path{"department name"}));
    EXPECT_EQ(*parse_path(R"(/"a/b\"c"/d)"), (Path{"a/b\"c", "d"}));
}

TEST(Path, RefusesInvalidPaths) {
    for (const char* text :
         {"", "/", "a", "/a/", "//a", "/\"a", "/\"a\"b", "/a/*", "/a/[]", "/a?"}) {
        EXPECT_FALSE(parse_path(text)) << text;
    }
}

TEST(Path, ReadsNamesAsEarlierVersionsStoredThem) {
    EXPECT_EQ(*parse_path("/first name/o'clock", PathForm::kStored),
              (Path{"first name", "o'clock"}));
    EXPECT_EQ(*parse_path("/\"a b\"/c", PathForm::kStored), (Path{"a b", "c"}));
    EXPECT_FALSE(parse_path("/first name"));
    for (const char* text : {"", "/", "a", "/a/", "//a", "/\"a", "/\"a\"b", "/a/*", "/a?"}) {
        EXPECT_FALSE(parse_path(text, PathForm::kStored)) << text;
    }
}

class CaptureTest : public testing::Test {
protected:
    std::string at(std::string_view text, std::size_t path) {
        const auto found = capture(text, paths_);
        if (!found) return "error: " + found.error().message();
        if (!found->at[path]) return "nothing";
        return std::string(found->at[path]->raw);
    }

    PathSet paths_;
    std::size_t id_ = paths_.add({"id"});
    std::size_t name_ = paths_.add({"properties", "name"});
    std::size_t properties_ = paths_.add({"properties"});
};

TEST_F(CaptureTest, FindsScalarsAndTrees) {
    constexpr std::string_view kText =
        R"({"x":{"id":1},"properties":{"a":[{"name":0}],"name":"n"},"id":"7"})";
    EXPECT_EQ(at(kText, id_), "\"7\"");
    EXPECT_EQ(at(kText, name_), "\"n\"");
    EXPECT_EQ(at(kText, properties_), R"({"a":[{"name":0}],"name":"n"})");
}

TEST_F(CaptureTest, DoesNotEnterArraysOrOtherObjects) {
    EXPECT_EQ(at(R"({"properties":[{"name":"n"}],"o":{"properties":{"name":1}}})", name_),
              "nothing");
    EXPECT_EQ(at(R"({"properties":[{"name":"n"}]})", properties_), R"([{"name":"n"}])");
}

TEST_F(CaptureTest, MatchesEscapedNames) { EXPECT_EQ(at(R"({"\u0069d":5})", id_), "5"); }

TEST_F(CaptureTest, ReportsTheExtentOfTheMember) {
    constexpr std::string_view kText = R"({"a":1,"id":"7","b":2})";
    const auto found = capture(kText, paths_);
    ASSERT_TRUE(found);
    const Captured& id = *found->at[id_];
    EXPECT_EQ(kText.substr(id.member_from, id.member_until - id.member_from), R"("id":"7")");
}

TEST_F(CaptureTest, TellsOfDuplicates) {
    EXPECT_FALSE(capture(R"({"id":1,"a":{"id":1}})", paths_)->duplicates);
    EXPECT_TRUE(capture(R"({"id":1,"id":2})", paths_)->duplicates);
    EXPECT_TRUE(capture(R"({"id":1,"a":[{"b":1,"b":1}]})", paths_)->duplicates);
}

// Texts of which it says so are copied into results as they are.
TEST_F(CaptureTest, TellsWhetherNumbersAreAsResultsPrintThem) {
    const auto form = [&](std::string_view text) { return capture(text, paths_)->numbers; };
    for (const std::string_view text :
         {R"({"id":"7"})", R"({"a":[0,-1,12.5,{"b":123456789012345}],"c":"1.0","1e2":true})"}) {
        EXPECT_EQ(form(text), NumberForm::kAsPrinted) << text;
        std::string printed;
        EXPECT_TRUE(append_with_plain_numbers(printed, text));
        EXPECT_EQ(printed, text);
    }
    for (const std::string_view number :
         {"1.0", "-0", "1e2", "0.00001", "1234567890123456789", "1e400", "0.1000", "1E-7"}) {
        for (const std::string before : {"{\"a\":", "{\"x\":1,\"a\":[{\"b\":[2,"}) {
            const std::string after = before.size() > 6 ? "]}]}" : "}";
            EXPECT_EQ(form(before + std::string(number) + after), NumberForm::kUnknown) << number;
        }
    }
}

TEST_F(CaptureTest, RefusesAnythingButAnObject) {
    EXPECT_FALSE(capture("[]", paths_));
    EXPECT_FALSE(capture("", paths_));
    EXPECT_FALSE(capture("{\"id\":}", paths_));
}

TEST_F(CaptureTest, SamePathHasOneNumber) { EXPECT_EQ(paths_.add({"id"}), id_); }

}  // namespace capture_test
}  // namespace orrery::json
