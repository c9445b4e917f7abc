#include "base/memory_pool.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace orrery {
namespace memory_pool_test {

TEST(MemoryPool, GivesNoMoreThanItHas) {
    MemoryPool pool(100);
    EXPECT_TRUE(pool.take(60));
    EXPECT_FALSE(pool.take(41));
    EXPECT_EQ(pool.used(), 60U);
    EXPECT_TRUE(pool.take(40));
    EXPECT_FALSE(pool.take(1));
    pool.give(60);
    EXPECT_EQ(pool.used(), 40U);
    EXPECT_FALSE(pool.take(static_cast<std::size_t>(-1)));
    EXPECT_TRUE(pool.take(60));
}

TEST(MemoryPool, CountsForAllThreads) {
    constexpr int kThreads = 4;
    constexpr int kRounds = 10'000;
    MemoryPool pool(kThreads - 1);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < kRounds; ++round) {
                if (!pool.take(1)) continue;
                EXPECT_LE(pool.used(), kThreads - 1U);
                pool.give(1);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(pool.used(), 0U);
}

}  // namespace memory_pool_test
}  // namespace orrery
