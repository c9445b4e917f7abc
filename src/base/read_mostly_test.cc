#include "base/read_mostly.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace orrery {
namespace read_mostly_test {

constexpr int kThreads = 4;
constexpr int kChanges = 200;

template <typename Body>
void in_threads(const Body& body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back(body);
    for (std::thread& thread : threads)
        thread.join();
}

TEST(ReadMostlyTest, ReadersNeverSeeHalfOfAChange) {
    ReadMostlyMutex mutex;
    int first = 0;
    int second = 0;
    std::atomic<bool> done = false;
    std::thread writer([&] {
        for (int i = 1; i <= kChanges; ++i) {
            const std::unique_lock lock(mutex);
            first = i;
            std::this_thread::yield();
            second = i;
        }
        done = true;
    });
    in_threads([&] {
        while (!done) {
            const std::shared_lock lock(mutex);
            ASSERT_EQ(first, second);
        }
    });
    writer.join();
    EXPECT_EQ(second, kChanges);
}

TEST(ReadMostlyTest, WritersExcludeEachOther) {
    ReadMostlyMutex mutex;
    int count = 0;
    in_threads([&] {
        for (int i = 0; i < kChanges; ++i) {
            const std::unique_lock lock(mutex);
            ++count;
        }
    });
    EXPECT_EQ(count, kThreads * kChanges);
}

TEST(ReadMostlyTest, PointerIsReplacedForEveryThread) {
    ReadMostlyPointer<const int> pointer(std::make_shared<const int>(0));
    std::thread writer([&] {
        for (int i = 1; i <= kChanges; ++i)
            pointer.store(std::make_shared<const int>(i));
    });
    in_threads([&] {
        int last = 0;
        while (last < kChanges) {
            const std::shared_ptr<const int> found = pointer.load();
            ASSERT_GE(*found, last);
            last = *found;
        }
    });
    writer.join();
    in_threads([&] { EXPECT_EQ(*pointer.load(), kChanges); });
}

TEST(ReadMostlyTest, OldObjectGoesWithItsLastReader) {
    auto old = std::make_shared<std::string>("old");
    const std::weak_ptr<std::string> watched = old;
    ReadMostlyPointer<std::string> pointer(std::move(old));
    std::shared_ptr<std::string> reader = pointer.load();
    pointer.store(std::make_shared<std::string>("new"));
    EXPECT_EQ(*reader, "old");
    EXPECT_FALSE(watched.expired());
    reader.reset();
    EXPECT_TRUE(watched.expired());
    EXPECT_EQ(*pointer.load(), "new");
}

TEST(ReadMostlyTest, OwnCountKeepsTheObject) {
    auto original = std::make_shared<int>(7);
    const std::weak_ptr<int> watched = original;
    std::shared_ptr<int> copy = with_own_count(original);
    EXPECT_EQ(copy.get(), original.get());
    EXPECT_EQ(copy.use_count(), 1);
    original.reset();
    EXPECT_EQ(*copy, 7);
    copy.reset();
    EXPECT_TRUE(watched.expired());
}

}  // namespace read_mostly_test
}  // namespace orrery
