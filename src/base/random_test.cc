#include "base/random.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace orrery {
namespace random_test {

TEST(GuidSequence, GivesDistinctWellFormedGuids) {
    SeededRandom random(1);
    GuidSequence sequence(random);
    std::set<std::string> seen;
    for (int i = 0; i < 10'000; ++i) {
        const std::string guid = sequence.next();
        EXPECT_TRUE(seen.insert(guid).second) << guid;
        // x is a hexadecimal digit, v the variant.
        constexpr std::string_view kForm = "xxxxxxxx-xxxx-4xxx-vxxx-xxxxxxxxxxxx";
        ASSERT_EQ(guid.size(), kForm.size());
        for (std::size_t at = 0; at < kForm.size(); ++at) {
            const std::string_view allowed = kForm[at] == 'x'   ? "0123456789abcdef"
                                             : kForm[at] == 'v' ? "89ab"
                                                                : kForm.substr(at, 1);
            EXPECT_NE(allowed.find(guid[at]), std::string_view::npos) << guid;
        }
    }
}

TEST(SeededRandom, IsRepeatable) {
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

}  // namespace random_test
}  // namespace orrery
