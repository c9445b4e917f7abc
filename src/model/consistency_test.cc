#include "model/consistency.h"

#include <gtest/gtest.h>

namespace orrery::model {
namespace consistency_test {

using enum ConsistencyLevel;

TEST(Consistency, NamesAreReadBack) {
    for (const auto level : {kStrong, kBoundedStaleness, kSession, kConsistentPrefix, kEventual}) {
        EXPECT_EQ(parse_consistency_level(name_of(level)), level);
    }
    EXPECT_EQ(parse_consistency_level("boundedstaleness"), kBoundedStaleness);
    EXPECT_FALSE(parse_consistency_level(""));
    EXPECT_FALSE(parse_consistency_level("Linearizable"));
}

TEST(Consistency, RequestsMayOnlyWeakenIt) {
    EXPECT_TRUE(may_be_requested(kStrong, kStrong));
    EXPECT_TRUE(may_be_requested(kEventual, kStrong));
    EXPECT_FALSE(may_be_requested(kStrong, kBoundedStaleness));
    EXPECT_TRUE(may_be_requested(kSession, kBoundedStaleness));
    EXPECT_FALSE(may_be_requested(kBoundedStaleness, kSession));
    EXPECT_TRUE(may_be_requested(kSession, kEventual));
    EXPECT_TRUE(may_be_requested(kConsistentPrefix, kEventual));
    EXPECT_FALSE(may_be_requested(kStrong, kEventual));
}

}  // namespace consistency_test
}  // namespace orrery::model
