#include "base/thread_pool.h"

#include <atomic>
#include <chrono>
#include <future>
#include <new>
#include <vector>

#include <gtest/gtest.h>

namespace orrery {
namespace thread_pool_test {

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

TEST(ThreadPool, RunsWorkAtItsTime) {
    const auto start = std::chrono::steady_clock::now();
    const auto soon = start + std::chrono::milliseconds(5);
    std::promise<std::chrono::steady_clock::time_point> ran;
    std::vector<int> order;
    ThreadPool pool(1);
    pool.post_at(soon, [&] {
        order.push_back(2);
        ran.set_value(std::chrono::steady_clock::now());
    });
    pool.post_at(start, [&] { order.push_back(1); });
    EXPECT_GE(ran.get_future().get(), soon);
    EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(ThreadPool, RunsLaterWorkBeforeItEnds) {
    std::atomic<int> done = 0;
    {
        ThreadPool pool(2);
        const auto later = std::chrono::steady_clock::now() + std::chrono::hours(1);
        for (int i = 0; i < 10; ++i) {
            pool.post_at(later, [&] { ++done; });
        }
    }
    EXPECT_EQ(done, 10);
}

TEST(ThreadPool, SurvivesWorkThatThrows) {
    std::atomic<int> done = 0;
    {
        ThreadPool pool(1);
        pool.post([] { throw std::bad_alloc(); });
        pool.post([&] { ++done; });
    }
    EXPECT_EQ(done, 1);
}

TEST(ThreadPool, StartsMoreThreadsWhileAllAreBusy) {
    constexpr int kBlocked = 20;
    std::promise<void> release;
    const std::shared_future<void> released = release.get_future().share();
    ThreadPool pool(ThreadPool::Options{.threads = 1, .threads_max = kBlocked + 1});
    for (int i = 0; i < kBlocked; ++i) {
        pool.post([released] { released.wait(); });
    }
    std::promise<void> ran;
    pool.post([&] { ran.set_value(); });
    ran.get_future().wait();
    EXPECT_EQ(pool.stats().threads, kBlocked + 1U);
    release.set_value();
}

TEST(ThreadPool, RefusesWorkBeyondItsQueue) {
    std::promise<void> release;
    std::promise<void> started;
    std::atomic<int> done = 0;
    {
        ThreadPool pool(ThreadPool::Options{.threads = 1, .queue_max = 2});
        pool.post([&] {
            started.set_value();
            release.get_future().wait();
        });
        started.get_future().wait();
        EXPECT_TRUE(pool.try_post([&] { ++done; }));
        EXPECT_TRUE(pool.try_post([&] { ++done; }));
        EXPECT_FALSE(pool.try_post([&] { ++done; }));
        const PoolStats stats = pool.stats();
        EXPECT_EQ(stats.threads, 1U);
        EXPECT_EQ(stats.running, 1U);
        EXPECT_EQ(stats.queued, 2U);
        EXPECT_EQ(stats.queue_max, 2U);
        EXPECT_EQ(stats.started, 1U);
        EXPECT_EQ(stats.refused, 1U);
        release.set_value();
    }
    EXPECT_EQ(done, 2);
}

}  // namespace thread_pool_test
}  // namespace orrery
