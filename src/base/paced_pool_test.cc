#include "base/paced_pool.h"

#include <atomic>
#include <future>
#include <memory>
#include <new>
#include <vector>

#include <gtest/gtest.h>

namespace orrery {
namespace paced_pool_test {

PacedPool::Options options(std::size_t fast, std::size_t slow) {
    PacedPool::Options out;
    out.fast = fast;
    out.slow = slow;
    return out;
}

TEST(PacedPool, RunsEverythingBeforeItEnds) {
    std::atomic<int> done = 0;
    {
        PacedPool pool(options(2, 1));
        for (int i = 0; i < 500; ++i) {
            EXPECT_TRUE(pool.try_post([&, i](Pacer& pacer) {
                EXPECT_TRUE(i % 50 != 0 || pacer.slice_used());
                ++done;
            }));
        }
    }
    EXPECT_EQ(done, 500);
}

TEST(PacedPool, LongWorkDoesNotHoldUpShortWork) {
    std::promise<void> release;
    const auto released = release.get_future().share();
    std::vector<std::promise<void>> entered(3);
    std::promise<void> quick;
    PacedPool pool(options(1, 1));
    for (auto& promise : entered) {
        ASSERT_TRUE(pool.try_post([&promise, released](Pacer& pacer) {
            promise.set_value();
            EXPECT_TRUE(pacer.slice_used());
            released.wait();
        }));
        promise.get_future().wait();
    }
    // One of them runs in the slow lane and two wait for it; the fast lane is free.
    ASSERT_TRUE(pool.try_post([&](Pacer&) { quick.set_value(); }));
    quick.get_future().wait();
    release.set_value();
}

TEST(PacedPool, SlowWorkTakesTurns) {
    std::atomic<bool> second_ran = false;
    std::promise<void> first_slow;
    std::promise<void> both_done;
    PacedPool pool(options(2, 1));
    ASSERT_TRUE(pool.try_post([&](Pacer& pacer) {
        ASSERT_TRUE(pacer.slice_used());
        first_slow.set_value();
        // Ends only because the other gets a turn although this one never leaves the lane.
        while (!second_ran) {
            ASSERT_TRUE(pacer.slice_used());
        }
        both_done.set_value();
    }));
    first_slow.get_future().wait();
    ASSERT_TRUE(pool.try_post([&](Pacer& pacer) {
        ASSERT_TRUE(pacer.slice_used());
        second_ran = true;
    }));
    both_done.get_future().wait();
}

TEST(PacedPool, RefusesWorkBeyondItsLimits) {
    PacedPool::Options limited = options(1, 1);
    limited.queue_max = 1;
    limited.slow_max = 1;
    std::promise<void> release;
    const auto released = release.get_future().share();
    std::promise<void> slow;
    std::promise<bool> allowed;
    std::promise<void> blocked;
    PacedPool pool(limited);
    ASSERT_TRUE(pool.try_post([&](Pacer& pacer) {
        ASSERT_TRUE(pacer.slice_used());
        slow.set_value();
        released.wait();
    }));
    slow.get_future().wait();
    ASSERT_TRUE(pool.try_post([&](Pacer& pacer) {
        allowed.set_value(pacer.slice_used());
        blocked.set_value();
        released.wait();
    }));
    EXPECT_FALSE(allowed.get_future().get()) << "the slow lane is full";
    blocked.get_future().wait();
    EXPECT_TRUE(pool.try_post([](Pacer&) {}));
    EXPECT_FALSE(pool.try_post([](Pacer&) {})) << "the queue is full";
    const PacedPool::Stats stats = pool.stats();
    EXPECT_EQ(stats.fast.running, 1U);
    EXPECT_EQ(stats.fast.queued, 1U);
    EXPECT_EQ(stats.fast.started, 2U);
    EXPECT_EQ(stats.fast.refused, 1U);
    EXPECT_EQ(stats.slow.running, 1U);
    EXPECT_EQ(stats.slow.queued, 0U);
    EXPECT_EQ(stats.slow.started, 1U);
    EXPECT_EQ(stats.slow.refused, 1U);
    release.set_value();
}

TEST(PacedPool, SurvivesWorkThatThrows) {
    std::atomic<int> done = 0;
    {
        PacedPool pool(options(1, 1));
        EXPECT_TRUE(pool.try_post([](Pacer&) { throw std::bad_alloc(); }));
        EXPECT_TRUE(pool.try_post([](Pacer& pacer) {
            EXPECT_TRUE(pacer.slice_used());
            throw std::bad_alloc();
        }));
        EXPECT_TRUE(pool.try_post([&](Pacer& pacer) {
            EXPECT_TRUE(pacer.slice_used()) << "the slot was given back";
            ++done;
        }));
    }
    EXPECT_EQ(done, 1);
}

}  // namespace paced_pool_test
}  // namespace orrery
