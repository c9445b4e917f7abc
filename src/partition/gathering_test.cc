#include "partition/gathering.h"

#include <chrono>
#include <optional>

#include <gtest/gtest.h>

namespace orrery::partition {
namespace gathering_test {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr Gathering::Time kStart{std::chrono::hours(1)};

constexpr std::size_t kWritesMax = 100;

Gathering after(Gathering::Duration took, std::size_t writes, std::size_t waiting) {
    Gathering gathering;
    gathering.committed(
        {.began = kStart - took, .ended = kStart, .writes = writes, .waiting = waiting},
        kWritesMax);
    return gathering;
}

TEST(Gathering, WaitsForAsManyWritesAsThereWere) {
    const Gathering gathering = after(milliseconds(2), 16, 10);
    EXPECT_EQ(gathering.wanted(), 26U);
    EXPECT_EQ(gathering.wait_until(kStart, 10), kStart + milliseconds(1));
    EXPECT_EQ(gathering.wait_until(kStart + microseconds(999), 25), kStart + milliseconds(1));
    EXPECT_EQ(gathering.wait_until(kStart, 26), std::nullopt);
    EXPECT_EQ(gathering.wait_until(kStart + milliseconds(1), 10), std::nullopt);
}

TEST(Gathering, FirstAndLoneWritesDoNotWait) {
    EXPECT_EQ(Gathering().wait_until(kStart, 1), std::nullopt);
    EXPECT_EQ(after(milliseconds(2), 1, 0).wait_until(kStart, 1), std::nullopt);
}

TEST(Gathering, FullCommitsDoNotWait) {
    const Gathering gathering = after(milliseconds(10), kWritesMax, 50);
    EXPECT_TRUE(gathering.wait_until(kStart, kWritesMax - 1));
    EXPECT_EQ(gathering.wait_until(kStart, kWritesMax), std::nullopt);
}

TEST(Gathering, LongCommitsOfManyWritesAreNotSlow) {
    EXPECT_TRUE(after(milliseconds(2), 16, 16).wait_until(kStart, 16));
    EXPECT_EQ(after(milliseconds(2), 80, 16).wait_until(kStart, 16), std::nullopt);
}

TEST(Gathering, FastDisksAreNotWaitedForAfterASlowCommit) {
    Gathering gathering = after(microseconds(500), 16, 16);
    const Gathering::Commit slow{
        .began = kStart - milliseconds(2), .ended = kStart, .writes = 16, .waiting = 16};
    for (int i = 0; i < Gathering::kPause; ++i) {
        EXPECT_EQ(gathering.wait_until(kStart, 16), std::nullopt);
        gathering.committed(slow, kWritesMax);
    }
    EXPECT_TRUE(gathering.wait_until(kStart, 16));
}

TEST(Gathering, AStallIsNoReasonForALongWait) {
    EXPECT_EQ(after(std::chrono::seconds(3), 16, 16).wait_until(kStart, 16),
              kStart + Gathering::kWaitMax);
}

TEST(Gathering, GivesUpForAWhileWhenNobodyComes) {
    Gathering gathering = after(milliseconds(2), 16, 16);
    gathering.failed();
    for (int i = 0; i < Gathering::kPause; ++i) {
        EXPECT_EQ(gathering.wait_until(kStart, 16), std::nullopt);
        gathering.committed(
            {.began = kStart - milliseconds(2), .ended = kStart, .writes = 16, .waiting = 16},
            kWritesMax);
    }
    EXPECT_TRUE(gathering.wait_until(kStart, 16));
}

}  // namespace gathering_test
}  // namespace orrery::partition
