#include "script/pool.h"

#include <atomic>
#include <future>

#include "script/test_support.h"

namespace orrery::script {
namespace pool_test {

class PoolTest : public testing::Test {
protected:
    static Execution execution(std::string body,
                               std::chrono::milliseconds limit = std::chrono::seconds(5)) {
        Execution execution;
        execution.script = std::make_shared<const Script>(Script{"script", std::move(body)});
        execution.time_limit = limit;
        return execution;
    }

    std::future<Outcome> submit(ScriptPool& pool, Execution execution) {
        auto promise = std::make_shared<std::promise<Outcome>>();
        std::future<Outcome> future = promise->get_future();
        EXPECT_TRUE(pool.submit(std::move(execution), host_, [promise](Outcome outcome) {
            promise->set_value(std::move(outcome));
        }));
        return future;
    }

    SystemClock clock_;
    SecureRandom random_;
    Watchdog watchdog_{std::chrono::milliseconds(10)};
    FakeHost host_;
};

TEST_F(PoolTest, RunsManyExecutionsOnFewThreads) {
    ScriptPool pool({clock_, random_, watchdog_}, {.threads = 2});
    std::vector<std::future<Outcome>> outcomes;
    for (int i = 0; i < 200; ++i) {
        outcomes.push_back(submit(pool, execution("() => { __.response.setBody(1); }")));
    }
    for (auto& outcome : outcomes) {
        EXPECT_EQ(outcome.get().body, "1");
    }
}

TEST_F(PoolTest, HostileScriptOccupiesOneThreadUntilItsTimeLimit) {
    ScriptPool pool({clock_, random_, watchdog_}, {.threads = 2});
    auto endless =
        submit(pool, execution("() => { while (true); }", std::chrono::milliseconds(300)));
    auto bomb = submit(pool, execution("() => { const a = []; while (true) a.push([a]); }"));
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(submit(pool, execution("() => {}")).get().status);
    }
    EXPECT_EQ(endless.get().status.error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(bomb.get().status.error().code(), ErrorCode::kBadRequest);
    EXPECT_TRUE(submit(pool, execution("() => {}")).get().status);
}

TEST_F(PoolTest, RefusesJobsWhenTheQueueIsFull) {
    ScriptPool pool({clock_, random_, watchdog_}, {.threads = 1, .queue_max = 1});
    std::promise<void> started;
    std::promise<void> release;
    ASSERT_TRUE(pool.post([&](Runtime&) {
        started.set_value();
        release.get_future().wait();
    }));
    started.get_future().wait();
    auto waiting = submit(pool, execution("() => {}"));
    EXPECT_EQ(pool.post([](Runtime&) {}).error().code(), ErrorCode::kThrottled);
    release.set_value();
    EXPECT_TRUE(waiting.get().status);
}

TEST_F(PoolTest, RunsOtherWorkWithARuntime) {
    ScriptPool pool({clock_, random_, watchdog_},
                    {.threads = 1, .idle = std::chrono::milliseconds(1)});
    std::promise<double> result;
    ASSERT_TRUE(pool.post([&](Runtime& runtime) {
        const auto session = runtime.open_udfs(std::chrono::seconds(1));
        const std::size_t twice = session->add({"twice", "function (x) { return 2 * x; }"}).take();
        const UdfValue argument = UdfValue::number(21);
        result.set_value(session->call(twice, {&argument, 1})->number());
    }));
    EXPECT_EQ(result.get_future().get(), 42);
}

TEST_F(PoolTest, FinishesSubmittedJobs) {
    std::atomic<int> done = 0;
    {
        ScriptPool pool({clock_, random_, watchdog_}, {.threads = 1});
        for (int i = 0; i < 10; ++i) {
            ASSERT_TRUE(pool.submit(execution("() => {}"), host_, [&](const Outcome&) { ++done; }));
        }
    }
    EXPECT_EQ(done, 10);
}

TEST_F(PoolTest, CountsWhatItRuns) {
    ScriptPool pool({clock_, random_, watchdog_}, {.threads = 1, .queue_max = 2});
    auto endless = execution("() => { while (true); }");
    endless.time_limit = std::chrono::milliseconds(1);
    EXPECT_FALSE(submit(pool, endless).get().status);
    EXPECT_FALSE(
        submit(pool, execution("() => { const a = []; while (true) a.push([a]); }")).get().status);
    std::promise<void> opened;
    ASSERT_TRUE(pool.post([&](Runtime& runtime) {
        runtime.open_udfs(std::chrono::seconds(1));
        opened.set_value();
    }));
    opened.get_future().wait();
    // Jobs are counted after they have answered.
    std::promise<void> last;
    ASSERT_TRUE(pool.post([&](Runtime&) { last.set_value(); }));
    last.get_future().wait();
    const ScriptPool::Stats stats = pool.stats();
    EXPECT_EQ(stats.threads.started, 4U);
    EXPECT_EQ(stats.threads.queued, 0U);
    EXPECT_EQ(stats.counts.runs, 2U);
    EXPECT_EQ(stats.counts.udf_sessions, 1U);
    EXPECT_EQ(stats.counts.timeouts, 1U);
    EXPECT_EQ(stats.resets, 1U);
}

}  // namespace pool_test
}  // namespace orrery::script
