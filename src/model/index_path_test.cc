#include "model/index_path.h"

#include <gtest/gtest.h>

#include "model/test_support.h"

namespace orrery::model {
namespace index_path_test {

using testing_support::must;
using testing_support::refusal;

std::string read(std::string_view text) {
    std::string out;
    for (const IndexPattern& pattern : must(parse_index_pattern(text))) {
        out += (out.empty() ? "" : " ") + to_text(pattern.path) + (pattern.below ? "/*" : "/?");
    }
    return out;
}

TEST(IndexPath, RoundTrips) {
    for (const char* text : {"/*",
                             "/?",
                             "/a/?",
                             "/a/b/*",
                             "/a/[]/?",
                             "/a/[]/[]/b/*",
                             "/a.b-c/?",
                             R"(/"a b"/?)",
                             R"(/"a/b"/"c\"d"/?)"}) {
        EXPECT_EQ(read(text), text);
    }
    EXPECT_EQ(read(R"(/"a"/?)"), "/a/?");
    EXPECT_EQ(read(R"(/"[]"/?)"), R"(/"[]"/?)");
    EXPECT_EQ(read("/a b/?"), R"(/"a b"/?)");
    EXPECT_EQ(read("/"), "/*");
    EXPECT_EQ(read("/e/[]/{n,\"t u\"}/?"), R"(/e/[]/n/? /e/[]/"t u"/?)");
}

TEST(IndexPath, InvalidPathsAreRefused) {
    for (const char* text : {"",
                             "a/?",
                             "/a",
                             "/a/",
                             "/a*",
                             "/a/?/b",
                             "/a/*/b/?",
                             "//?",
                             "/[x]/?",
                             "/{a/?",
                             "/{}/?",
                             "/{a,}/?",
                             "/\"a/?",
                             "/\"\"/?",
                             "/{a}/{b}/?"}) {
        EXPECT_NE(refusal(parse_index_pattern(text)), "(not refused)") << text;
    }
}

TEST(IndexPath, CompositePathsHaveNoWildcards) {
    EXPECT_EQ(to_text(must(parse_composite_path("/a/b"))), "/a/b");
    EXPECT_EQ(to_text(must(parse_composite_path("/a/?"))), "/a");
    EXPECT_EQ(to_text(must(parse_composite_path("/\"a b\""))), "/\"a b\"");
    for (const char* text : {"", "/", "a", "/*", "/a/*", "/a/[]", "/a/[]/b", "/{a,b}", "/?"}) {
        EXPECT_NE(refusal(parse_composite_path(text)), "(not refused)") << text;
    }
}

}  // namespace index_path_test
}  // namespace orrery::model
