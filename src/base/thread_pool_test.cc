#include "base/thread_pool.h"

#include <atomic>

#include <gtest/gtest.h>

namespace orrery {
namespace {

TEST(ThreadPool, RunsEverythingBeforeItEnds) {
    std::atomic<int> done = 0;
    {
        ThreadPool pool(3);
        for (int i = 0; i < 1000; ++i) {
            pool.post([&] { ++done; });
        }
    }
    EXPECT_EQ(done, 1000);
}

TEST(ThreadPool, WorkMayPostWork) {
    std::atomic<int> done = 0;
    {
        ThreadPool pool(1);
        pool.post([&] {
            ++done;
            pool.post([&] { ++done; });
        });
    }
    EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace orrery
