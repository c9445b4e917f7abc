#include "base/random.h"

#include <regex>
#include <set>

#include <gtest/gtest.h>

namespace orrery {
namespace {

TEST(GuidSequence, GivesDifferentGuidsOfTheRightForm) {
    SeededRandom random(1);
    GuidSequence sequence(random);
    const std::regex form("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
    std::set<std::string> seen;
    for (int i = 0; i < 10'000; ++i) {
        const std::string guid = sequence.next();
        EXPECT_TRUE(seen.insert(guid).second) << guid;
        if (i < 100) {
            EXPECT_TRUE(std::regex_match(guid, form)) << guid;
        }
    }
}

TEST(SeededRandom, RepeatsItself) {
    SeededRandom a(7);
    SeededRandom b(7);
    SeededRandom c(8);
    const std::string bytes = a.bytes(100);
    EXPECT_EQ(bytes, b.bytes(100));
    EXPECT_NE(bytes, c.bytes(100));
}

TEST(SecureRandom, FillsEverything) {
    SecureRandom random;
    EXPECT_NE(random.bytes(32), random.bytes(32));
}

}  // namespace
}  // namespace orrery
