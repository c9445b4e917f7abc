#include "throughput/hot_keys.h"

#include <gtest/gtest.h>

namespace orrery::throughput {
namespace {

class HotKeysTest : public testing::Test {
protected:
    HotKeys::TimePoint now_{std::chrono::hours(1)};
    HotKeys keys_;
};

TEST_F(HotKeysTest, FindsAHotKeyAmongMany) {
    for (int i = 0; i < 10000; ++i) {
        keys_.add("key" + std::to_string(i), 1, now_);
        if (i % 2 == 0) keys_.add("hot", 1, now_);
        if (i % 10 == 0) keys_.add("warm", 1, now_);
    }
    const auto top = keys_.top(2, now_);
    ASSERT_EQ(top.size(), 2U);
    EXPECT_EQ(top[0].key, "hot");
    EXPECT_NEAR(top[0].share, 5.0 / 16, 0.03);
}

TEST_F(HotKeysTest, ForgetsWhatIsLongAgo) {
    keys_.add("old", 100, now_);
    now_ += std::chrono::seconds(60);
    keys_.add("new", 75, now_);
    auto top = keys_.top(10, now_);
    ASSERT_EQ(top.size(), 2U);
    EXPECT_EQ(top[0].key, "new");
    EXPECT_NEAR(top[0].share, 0.75, 0.001);
    now_ += std::chrono::hours(1);
    EXPECT_TRUE(keys_.top(10, now_).empty());
}

TEST_F(HotKeysTest, LeavesOutVeryLongKeys) {
    keys_.add(std::string(1000, 'x'), 1, now_);
    EXPECT_TRUE(keys_.top(10, now_).empty());
}

}  // namespace
}  // namespace orrery::throughput
