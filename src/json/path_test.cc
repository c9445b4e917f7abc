#include "json/path.h"

#include <gtest/gtest.h>

namespace orrery::json {
namespace path_test {

Path read(std::string_view text) {
    const auto path = parse_path(text);
    return path ? *path : Path{"refused", path.error().message()};
}

std::string refused_at(std::string_view text) {
    const auto path = parse_path(text);
    if (path) return "(not refused)";
    const std::string& message = path.error().message();
    const std::string start =
        "path '" + std::string(text) + "' could not be accepted, failed near ";
    EXPECT_TRUE(message.starts_with(start)) << message;
    return message.substr(start.size());
}

TEST(Path, NamesFromTheRootDown) {
    EXPECT_EQ(read("/a"), (Path{"a"}));
    EXPECT_EQ(read("/a/b-c/ä.d"), (Path{"a", "b-c", "ä.d"}));
    EXPECT_EQ(read("/level(1)"), (Path{"level(1)"}));
}

TEST(Path, QuotedNamesHoldAnyCharacter) {
    EXPECT_EQ(read(R"(/"b c"/d)"), (Path{"b c", "d"}));
    EXPECT_EQ(read(R"(/"a/b"/"c\"d"/"e\\f")"), (Path{"a/b", "c\"d", "e\\f"}));
    EXPECT_EQ(read(R"(/'level" 1*()'/'le/vel2')"), (Path{"level\" 1*()", "le/vel2"}));
    EXPECT_EQ(read(R"-(/"level' 1*()"/'it\'s')-"), (Path{"level' 1*()", "it's"}));
    EXPECT_EQ(read(R"(/"a\'b"/'a\"b')"), (Path{R"(a\'b)", R"(a\"b)"}));
}

// The first two positions were captured from the service, which skips white space.
TEST(Path, ARefusalSaysWhere) {
    EXPECT_EQ(refused_at("id"), "position '0'.");
    EXPECT_EQ(refused_at("/asdwqr31 @#$#$WRadf"), "position '10'.");
    EXPECT_EQ(refused_at("/id ds"), "position '4'.");
    EXPECT_EQ(refused_at(""), "position '0'.");
    EXPECT_EQ(refused_at("/"), "position '1'.");
    EXPECT_EQ(refused_at("/a/"), "position '3'.");
    EXPECT_EQ(refused_at("//a"), "position '1'.");
    EXPECT_EQ(refused_at("/a/*"), "position '3'.");
    EXPECT_EQ(refused_at("/a?"), "position '2'.");
    EXPECT_EQ(refused_at("/a/[]/b"), "position '3'.");
    EXPECT_EQ(refused_at("/it's"), "position '3'.");
    EXPECT_EQ(refused_at("/'a'b"), "position '4'.");
    EXPECT_EQ(refused_at("/'a"), "position '3'.");
    EXPECT_EQ(refused_at("/''"), "position '3'.");
}

}  // namespace path_test
}  // namespace orrery::json
