// What every implementation of SharedObjects must do. A test file defines a fixture `Maker` with
// `SharedObjects& objects()`, empty at the start, and instantiates the suite:
//   INSTANTIATE_TYPED_TEST_SUITE_P(Memory, SharedObjectsConformance, Maker);

#pragma once

#include <atomic>
#include <chrono>
#include <gmock/gmock.h>
#include <thread>

#include <gtest/gtest.h>

#include "storage/shared_objects.h"

namespace orrery::storage {

template <typename Maker>
class SharedObjectsConformance : public testing::Test {
protected:
    SharedObjects& objects() { return maker_.objects(); }

private:
    Maker maker_;
};

TYPED_TEST_SUITE_P(SharedObjectsConformance);

TYPED_TEST_P(SharedObjectsConformance, ReadsWhatWasWritten) {
    SharedObjects& objects = this->objects();
    EXPECT_FALSE(objects.read("a")->has_value());
    const auto version = objects.write("a", std::string("\0x", 2), SharedObjects::kAbsent);
    ASSERT_TRUE(version);
    const auto value = objects.read("a");
    ASSERT_TRUE(value && *value);
    EXPECT_EQ((*value)->bytes, std::string("\0x", 2));
    EXPECT_EQ((*value)->version, *version);
}

TYPED_TEST_P(SharedObjectsConformance, RefusesOtherVersions) {
    SharedObjects& objects = this->objects();
    const auto first = *objects.write("a", "1", SharedObjects::kAbsent);
    EXPECT_EQ(objects.write("a", "2", SharedObjects::kAbsent).error().code(),
              ErrorCode::kPreconditionFailed);
    const auto second = *objects.write("a", "2", first);
    EXPECT_EQ(objects.write("a", "3", first).error().code(), ErrorCode::kPreconditionFailed);
    EXPECT_EQ(objects.remove("a", first).error().code(), ErrorCode::kPreconditionFailed);
    EXPECT_EQ((*objects.read("a"))->bytes, "2");
    EXPECT_TRUE(objects.remove("a", second));
    EXPECT_EQ(objects.remove("a", second).error().code(), ErrorCode::kPreconditionFailed);
    EXPECT_EQ(objects.write("a", "4", second).error().code(), ErrorCode::kPreconditionFailed);
}

TYPED_TEST_P(SharedObjectsConformance, NeverRepeatsAVersion) {
    SharedObjects& objects = this->objects();
    const auto first = *objects.write("a", "1", SharedObjects::kAbsent);
    ASSERT_TRUE(objects.remove("a", first));
    const auto second = *objects.write("a", "1", SharedObjects::kAbsent);
    EXPECT_NE(first, second);
    EXPECT_EQ(objects.remove("a", first).error().code(), ErrorCode::kPreconditionFailed);
}

TYPED_TEST_P(SharedObjectsConformance, ListsByPrefix) {
    SharedObjects& objects = this->objects();
    for (const char* const name : {"b/2", "a", "b/1", "c"})
        ASSERT_TRUE(objects.write(name, "", SharedObjects::kAbsent));
    EXPECT_THAT(*objects.list("b/"), testing::ElementsAre("b/1", "b/2"));
    EXPECT_THAT(*objects.list("x"), testing::IsEmpty());
    EXPECT_EQ(objects.list("")->size(), 4U);
}

TYPED_TEST_P(SharedObjectsConformance, LetsOneOfManyWritersWin) {
    SharedObjects& objects = this->objects();
    ASSERT_TRUE(objects.write("n", "0", SharedObjects::kAbsent));
    constexpr int kThreads = 4;
    constexpr int kRounds = 25;
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            for (int done = 0; done < kRounds;) {
                const auto value = objects.read("n");
                const int next = std::stoi((*value)->bytes) + 1;
                if (objects.write("n", std::to_string(next), (*value)->version)) ++done;
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ((*objects.read("n"))->bytes, std::to_string(kThreads * kRounds));
}

TYPED_TEST_P(SharedObjectsConformance, NotifiesWatchers) {
    SharedObjects& objects = this->objects();
    ASSERT_TRUE(objects.write("a", "", SharedObjects::kAbsent));
    ASSERT_TRUE(objects.write("b", "", SharedObjects::kAbsent));
    std::atomic<int> calls = 0;
    auto watch = objects.watch("a", [&calls] { ++calls; });
    ASSERT_TRUE(watch);
    ASSERT_TRUE(objects.notify("b"));
    ASSERT_TRUE(objects.notify("a"));
    for (int i = 0; i < 500 && calls == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(calls, 1);
    watch->reset();
    ASSERT_TRUE(objects.notify("a"));
    EXPECT_EQ(calls, 1);
}

REGISTER_TYPED_TEST_SUITE_P(SharedObjectsConformance,
                            ReadsWhatWasWritten,
                            RefusesOtherVersions,
                            NeverRepeatsAVersion,
                            ListsByPrefix,
                            LetsOneOfManyWritersWin,
                            NotifiesWatchers);

}  // namespace orrery::storage
