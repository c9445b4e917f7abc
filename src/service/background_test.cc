#include "service/background.h"

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "service/test_support.h"
#include "storage/engine_test_support.h"
#include "storage/faulty_engine.h"

namespace orrery::service {
namespace background_test {

using std::chrono::seconds;
using testing_support::Asked;
using testing_support::item;
using testing_support::must;
using testing_support::ServiceTest;

// Longer than any test: rounds run only when the test wakes the thread.
constexpr std::chrono::hours kNever(24);

class BackgroundTest : public ServiceTest {
protected:
    void create(const catalog::ContainerPtr& container, int count, const std::string& rest = "") {
        for (int i = 0; i < count; ++i) {
            const std::string id = std::to_string(made_++);
            ASSERT_TRUE(services_.create(container, item(id, id, rest)).answer);
        }
    }
    std::uint64_t count(const catalog::ContainerPtr& container) {
        return must(services_.items->usage(*container)).item_count;
    }
    // Runs rounds until the condition holds; fails after a deadline.
    void wake_until(Background& background, const std::function<bool()>& so) {
        const auto deadline = std::chrono::steady_clock::now() + seconds(30);
        while (!so() && std::chrono::steady_clock::now() < deadline) {
            background.wake();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        EXPECT_TRUE(so());
    }

    int made_ = 0;
};

TEST_F(BackgroundTest, RemovesExpiredItemsOfAllRangesAndNoOthers) {
    const auto aging = services_.container(R"({"id":"aging","defaultTtl":100})", 3);
    const auto forever = services_.container(R"({"id":"forever"})");
    create(aging, 250);
    create(aging, 10, R"(,"ttl":-1)");
    create(aging, 10, R"(,"ttl":1000)");
    create(forever, 5, R"(,"ttl":1)");
    Background background(*services_.catalog,
                          *services_.partitions,
                          *services_.indexing,
                          clock_,
                          {.interval = kNever});
    clock_.advance(seconds(100));
    wake_until(background, [&] { return count(aging) <= 20; });
    EXPECT_EQ(count(aging), 20U);
    clock_.advance(seconds(900));
    wake_until(background, [&] { return count(aging) <= 10; });
    EXPECT_EQ(count(aging), 10U);
    EXPECT_EQ(count(forever), 5U);
    EXPECT_EQ(services_.problems(), "");
}

TEST_F(BackgroundTest, ForgetsOldVersions) {
    const auto container = services_.container(R"({"changeFeedPolicy":{"retentionDuration":1}})");
    for (int i = 0; i < 500; ++i)
        ASSERT_TRUE(services_.upsert(container, item("1", "k")).answer);
    const auto versions = [&] {
        const auto partition = must(services_.partitions->open(*container, 0));
        std::size_t found = 0;
        const auto cursor =
            partition->store().scan(partition::all_of('H'), storage::Direction::kForward);
        for (; cursor->valid(); cursor->next())
            ++found;
        return found;
    };
    Background background(*services_.catalog,
                          *services_.partitions,
                          *services_.indexing,
                          clock_,
                          {.interval = kNever});
    background.wake();
    EXPECT_EQ(versions(), 499U);
    clock_.advance(seconds(61));
    ASSERT_TRUE(services_.upsert(container, item("1", "k")).answer);
    wake_until(background, [&] { return versions() == 0; });
    ASSERT_TRUE(services_.upsert(container, item("1", "k")).answer);
    EXPECT_EQ(versions(), 1U) << "young ones stay";
    // Without a policy all are forgotten.
    must(services_.catalog->replace_container(
        container->rid, model::testing_support::container_definition("{}"), std::nullopt));
    services_.partitions->adopt_retention(container->rid);
    wake_until(background, [&] { return versions() == 0; });
    EXPECT_EQ(services_.problems(), "");
}

TEST_F(BackgroundTest, AppliesAChangedDefaultTtl) {
    const auto container = services_.container(R"({"defaultTtl":1000})");
    create(container, 5);
    Background background(*services_.catalog,
                          *services_.partitions,
                          *services_.indexing,
                          clock_,
                          {.interval = kNever});
    clock_.advance(seconds(50));
    must(services_.catalog->replace_container(
        container->rid,
        model::testing_support::container_definition(R"({"defaultTtl":60})"),
        std::nullopt));
    clock_.advance(seconds(10));
    wake_until(background, [&] { return count(container) == 0; });
}

TEST_F(BackgroundTest, DropsTheDataOfRemovedContainers) {
    const auto container = services_.container("{}", 2);
    create(container, 10);
    Background background(*services_.catalog,
                          *services_.partitions,
                          *services_.indexing,
                          clock_,
                          {.interval = kNever});
    ASSERT_TRUE(services_.catalog->remove_container(container->rid, std::nullopt));
    wake_until(background, [&] { return services_.catalog->partitions_to_drop().empty(); });
    for (const auto& range : container->ranges) {
        EXPECT_EQ(storage::testing_support::keys(*must(engine_.open(range.partition)), {}), "");
    }
}

TEST_F(BackgroundTest, CleansUpAtStart) {
    const auto container = services_.container();
    create(container, 3);
    ASSERT_TRUE(services_.catalog->remove_container(container->rid, std::nullopt));
    const Background background(*services_.catalog,
                                *services_.partitions,
                                *services_.indexing,
                                clock_,
                                {.interval = kNever});
    const auto deadline = std::chrono::steady_clock::now() + seconds(30);
    while (!services_.catalog->partitions_to_drop().empty() &&
           std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(services_.catalog->partitions_to_drop().empty());
}

// A full disk must not turn the sweep into a busy loop.
TEST_F(BackgroundTest, DoesNotRetryInALoopWhenWritesFail) {
    storage::FaultyEngine counting(engine_);
    testing_support::Services services(counting, clock_);
    ASSERT_TRUE(services.start());
    const auto container = services.container(R"({"defaultTtl":1})");
    for (int i = 0; i < 150; ++i) {
        const std::string body = item(std::to_string(i), "a");
        ASSERT_TRUE(services.create(container, body).answer);
    }
    engine_.fence(container->ranges[0].partition);
    clock_.advance(seconds(1));
    const std::uint64_t before = counting.writes();
    {
        const Background background(*services.catalog,
                                    *services.partitions,
                                    *services.indexing,
                                    clock_,
                                    {.interval = kNever});
        while (counting.writes() == before) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        // Long enough for many more rounds, if it were looping.
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
    EXPECT_EQ(counting.writes(), before + 1);
}

TEST_F(BackgroundTest, StopsAtOnceWhenIdle) {
    for (int i = 0; i < 20; ++i) {
        Background background(*services_.catalog,
                              *services_.partitions,
                              *services_.indexing,
                              clock_,
                              {.interval = kNever});
        if (i % 2 == 0) background.wake();
    }
}

TEST_F(BackgroundTest, RemovesTheItemsOfDeletedPartitionKeys) {
    const auto container = services_.container("{}", 3);
    for (int i = 0; i < 450; ++i) {
        ASSERT_TRUE(services_.create(container, item(std::to_string(i), "gone")).answer);
    }
    create(container, 20);
    Request request;
    request.partition_key = R"(["gone"])";
    ASSERT_TRUE(
        testing_support::Services::wait(request, [&](Context& context, const ItemCallback& done) {
            services_.items->remove_key(context, container, done);
        }).answer);
    EXPECT_EQ(must(services_.feed->read(Asked(), *container)).count, 20U);
    EXPECT_EQ(count(container), 470U);
    Background background(*services_.catalog,
                          *services_.partitions,
                          *services_.indexing,
                          clock_,
                          {.interval = kNever});
    wake_until(background, [&] { return count(container) <= 20; });
    EXPECT_EQ(count(container), 20U);
    EXPECT_EQ(services_.problems(), "");
}

}  // namespace background_test
}  // namespace orrery::service
