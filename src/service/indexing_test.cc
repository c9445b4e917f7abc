#include "service/indexing.h"

#include <chrono>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "service/background.h"
#include "service/test_support.h"
#include "storage/faulty_engine.h"

namespace orrery::service {
namespace indexing_test {

using model::testing_support::container_body;
using storage::Fault;
using testing_support::Asked;
using testing_support::must;
using testing_support::Services;
using testing_support::ServiceTest;

constexpr const char* kOnlyN =
    R"({"indexingPolicy":{"includedPaths":[{"path":"/n/?"}],"excludedPaths":[{"path":"/*"}]}})";

Status replace(Services& services, std::string_view members) {
    TRY(services.resources->replace_container(
        Asked(), {.database = "d", .container = "c"}, container_body(members).text()));
    return {};
}

catalog::ContainerPtr container_of(Services& services) {
    return must(services.resources->find({}, {.database = "d", .container = "c"})).container;
}

std::string item_of(int number) {
    const std::string id = std::to_string(number);
    std::string item = R"({"id":")" + id;
    return item.append(R"(","pk":")")
        .append(id)
        .append(R"(","n":)")
        .append(id)
        .append(R"(,"s":"x"})");
}

void create(Services& services, int count) {
    const auto container = container_of(services);
    for (int i = 0; i < count; ++i) {
        services.upsert(container, item_of(i));
    }
}

// The same in few commits, for a container with one partition.
void fill(Services& services, int count) {
    const auto container = container_of(services);
    std::vector<model::BatchOperation> operations;
    for (int i = 0; i < count; ++i) {
        operations.emplace_back().kind = model::BatchOperation::Kind::kUpsert;
        operations.back().body = item_of(i);
        if (operations.size() < model::limits::kBatchOperationsMax && i + 1 < count) continue;
        Asked asked;
        asked.context.request.range_id = "0";
        must(wait_for<BatchOutcome>([&](const BatchCallback& done) {
            services.batches->run(asked, container, operations, {.atomic = false}, done);
        }));
        operations.clear();
    }
}

int progress(Services& services) {
    return must(services.indexing->progress(*container_of(services)));
}

class IndexingTest : public ServiceTest {};

TEST_F(IndexingTest, BuildsAReplacedPolicyInSteps) {
    services_.container("{}", 2);
    EXPECT_EQ(progress(services_), 100);
    create(services_, 2000);
    ASSERT_TRUE(replace(services_, kOnlyN));
    EXPECT_EQ(progress(services_), 0);
    std::set<int> seen;
    while (services_.indexing->advance()) {
        seen.insert(progress(services_));
        EXPECT_EQ(services_.problems(), "");
    }
    EXPECT_EQ(progress(services_), 100);
    EXPECT_GE(seen.size(), 2U);
    EXPECT_EQ(services_.problems(), "");
    // A change that does not affect the index does not rebuild it.
    ASSERT_TRUE(replace(services_, std::string(kOnlyN).insert(1, R"("defaultTtl":50,)")));
    EXPECT_EQ(progress(services_), 100);
}

TEST_F(IndexingTest, ResumesAfterARestart) {
    services_.container("{}", 2);
    create(services_, 2000);
    ASSERT_TRUE(replace(services_, kOnlyN));
    ASSERT_TRUE(services_.indexing->advance());
    const int before = progress(services_);
    EXPECT_GT(before, 0);
    EXPECT_LT(before, 100);
    services_.executors.reset();
    Services again(engine_, clock_);
    ASSERT_TRUE(again.start());
    EXPECT_EQ(progress(again), before);
    // No request opens the container: the first round covers all containers.
    const Background background(*again.catalog,
                                *again.partitions,
                                *again.indexing,
                                clock_,
                                Background::Options{.interval = std::chrono::hours(1)});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (progress(again) < 100 && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(progress(again), 100);
}

TEST_F(IndexingTest, AdoptsAPolicyThatPartitionsMissed) {
    services_.container();
    create(services_, 10);
    // As after a crash right after the catalog's commit.
    must(services_.catalog->replace_container(container_of(services_)->rid,
                                              model::testing_support::container_definition(kOnlyN),
                                              std::nullopt));
    EXPECT_LT(progress(services_), 100);
    while (services_.indexing->advance()) {
    }
    EXPECT_EQ(progress(services_), 100);
    EXPECT_EQ(services_.problems(), "");
}

TEST_F(IndexingTest, IgnoresRemovedContainers) {
    const auto container = services_.container();
    create(services_, 10);
    ASSERT_TRUE(replace(services_, kOnlyN));
    ASSERT_TRUE(services_.catalog->remove_container(container->rid, std::nullopt));
    ASSERT_TRUE(services_.drop_removed());
    EXPECT_FALSE(services_.indexing->advance());
    services_.indexing->adopt(container->rid);
}

// Fails the writes between two policies, in each way a write can fail: each of the first ones,
// which begin and end the phases, then every third.
class IndexingFaultTest : public testing::TestWithParam<Fault> {
protected:
    struct Machine {
        Status start() {
            services.reset();
            services = std::make_unique<Services>(engine, clock);
            return services->start();
        }
        storage::MemoryEngine medium;
        storage::FaultyEngine engine{medium};
        ManualClock clock{std::chrono::seconds(1'700'000'000)};
        std::unique_ptr<Services> services;
    };

    // Replaces the policy of a container with items, with a few writes in between.
    static void work(Machine& machine) {
        const auto restart_if_crashed = [&] {
            if (!machine.engine.crashed()) return;
            machine.engine.reopen();
            ASSERT_TRUE(machine.start());
            EXPECT_EQ(machine.services->problems(), "");
        };
        while (!replace(*machine.services, kOnlyN)) {
            restart_if_crashed();
        }
        restart_if_crashed();
        for (int round = 0; round < 50 && progress(*machine.services) < 100; ++round) {
            machine.services->indexing->advance();
            restart_if_crashed();
            create(*machine.services, 3);
            restart_if_crashed();
        }
        EXPECT_EQ(progress(*machine.services), 100);
        for (int round = 0; round < 50; ++round) {
            if (!machine.services->indexing->advance()) break;
        }
        restart_if_crashed();
        EXPECT_EQ(machine.services->problems(), "");
    }
};

INSTANTIATE_TEST_SUITE_P(Faults,
                         IndexingFaultTest,
                         testing::Values(Fault::kFail, Fault::kCrashBefore, Fault::kCrashAfter));

TEST_P(IndexingFaultTest, WritesOfATransformation) {
    for (std::uint64_t nth = 1, writes = 1; nth <= writes; nth += nth < 8 ? 1 : 3) {
        SCOPED_TRACE("write " + std::to_string(nth));
        Machine machine;
        ASSERT_TRUE(machine.start());
        machine.services->container();
        fill(*machine.services, 700);
        const std::uint64_t before = machine.engine.writes();
        machine.engine.inject(GetParam(), nth);
        ASSERT_NO_FATAL_FAILURE(work(machine));
        if (HasFailure()) return;
        machine.engine.clear();
        writes = std::min<std::uint64_t>(machine.engine.writes() - before, 40);
    }
}

}  // namespace indexing_test
}  // namespace orrery::service
