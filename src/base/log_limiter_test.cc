#include "base/log_limiter.h"

#include <gtest/gtest.h>

namespace orrery::log {
namespace log_limiter_test {

TEST(LogLimiter, AllowsSoManyLinesASecondAndCountsTheRest) {
    Limiter limiter(2);
    auto now = std::chrono::steady_clock::time_point() + std::chrono::hours(1);
    EXPECT_EQ(limiter.allow(now), 0U);
    EXPECT_EQ(limiter.allow(now), 0U);
    for (int i = 0; i < 5; ++i) {
        EXPECT_FALSE(limiter.allow(now));
    }
    now += std::chrono::seconds(1);
    EXPECT_EQ(limiter.allow(now), 5U);
    EXPECT_EQ(limiter.allow(now), 0U);
    EXPECT_FALSE(limiter.allow(now));
}

}  // namespace log_limiter_test
}  // namespace orrery::log
