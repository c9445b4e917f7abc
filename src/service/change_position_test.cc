#include "service/change_position.h"

#include <string>

#include <gtest/gtest.h>

#include "service/test_support.h"

namespace orrery::service {
namespace change_position_test {

using testing_support::code_of;
using testing_support::must;

const std::string kEnd(model::kEpkEnd);

ChangePosition two_parts() {
    ChangePosition position;
    position.parts = {{.epks = {"", "\x20"}, .after = 7, .since = 1'700'000'000},
                      {.epks = {"\x20", kEnd}, .after = 300}};
    position.first = 1;
    return position;
}

TEST(ChangePosition, OfOneRangeIsAnLsn) {
    const ChangePosition position =
        ChangePosition::everywhere({.epks = {"\x10", "\x20"}, .after = 28});
    EXPECT_EQ(position.etag(), "\"28\"");
    for (const char* etag : {"\"28\"", "28"}) {
        const ChangePosition read = must(ChangePosition::parse(etag));
        ASSERT_EQ(read.parts.size(), 1U);
        EXPECT_EQ(read.parts[0], (ChangePart{.epks = {"", kEnd}, .after = 28}));
    }
}

TEST(ChangePosition, OfSeveralPartsSurvivesTheWay) {
    const ChangePosition position = two_parts();
    const std::string etag = position.etag();
    EXPECT_EQ(etag.rfind("\"300|", 0), 0U);
    const ChangePosition read = must(ChangePosition::parse(etag));
    EXPECT_EQ(read.parts, position.parts);
    EXPECT_EQ(read.first, 1U);
}

TEST(ChangePosition, JoinsEqualParts) {
    ChangePosition position;
    position.parts = {{.epks = {"", "\x10"}, .after = 5},
                      {.epks = {"\x10", "\x20"}, .after = 5},
                      {.epks = {"\x20", "\x30"}, .after = 6},
                      {.epks = {"\x30", kEnd}, .after = 6}};
    position.first = 3;
    position.simplify();
    ASSERT_EQ(position.parts.size(), 2U);
    EXPECT_EQ(position.parts[0], (ChangePart{.epks = {"", "\x20"}, .after = 5}));
    EXPECT_EQ(position.parts[1], (ChangePart{.epks = {"\x20", kEnd}, .after = 6}));
    EXPECT_EQ(position.first, 1U);
}

TEST(ChangePosition, RefusesOtherTexts) {
    for (const char* etag : {"",
                             "\"\"",
                             "\"",
                             "x",
                             "-1",
                             "\"28",
                             "28|",
                             "28|x",
                             "28|AQ==",
                             "28|Ag==",
                             "99999999999999999999",
                             "\"0000d826-0000-0000-0000-000000000000\""}) {
        EXPECT_EQ(code_of(ChangePosition::parse(etag)), "400") << etag;
    }
    // Damaged anywhere: refused, or a position, but nothing worse.
    const std::string etag = two_parts().etag();
    for (std::size_t i = 0; i < etag.size(); ++i) {
        for (const char c : {'A', '/', '9', '\x7f'}) {
            std::string damaged = etag;
            damaged[i] = c;
            const auto read = ChangePosition::parse(damaged);
            if (read) EXPECT_LT(read->first, read->parts.size());
        }
        EXPECT_TRUE(i < 4 || !ChangePosition::parse(etag.substr(0, i))) << i;
    }
}

}  // namespace change_position_test
}  // namespace orrery::service
