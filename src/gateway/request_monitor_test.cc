#include "gateway/request_monitor.h"

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <map>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "gateway/slow_queries.h"
#include "gateway/test_support.h"

namespace orrery::gateway {
namespace request_monitor_test {

using testing::HasSubstr;
using testing_support::GatewayTest;
using testing_support::Headers;

class RequestMonitorTest : public GatewayTest {
protected:
    // {"ReadItem 200": 3}.
    std::map<std::string, std::uint64_t> counts() const {
        std::map<std::string, std::uint64_t> out;
        for (const auto& one : monitor_->stats()) {
            for (const auto& [status, count] : one.statuses) {
                out[std::string(one.operation) + " " + std::to_string(status)] = count;
            }
        }
        return out;
    }
    RequestMonitor::OperationStats stats_of(std::string_view operation) const {
        for (auto& one : monitor_->stats()) {
            if (one.operation == operation) return one;
        }
        return {};
    }
};

TEST_F(RequestMonitorTest, CountsEveryAnswerByOperationAndStatus) {
    make_container();
    const Headers key = keyed(R"(["a"])");
    create(R"({"id":"1","pk":"a"})");
    create(R"({"id":"1","pk":"a"})");
    create(R"({"id":"1","pk":"a"})", {{"x-ms-documentdb-is-upsert", "true"}});
    send("GET", "/dbs/d/colls/c/docs/1", key);
    send("HEAD", "/dbs/d/colls/c/docs/1", key);
    send("GET", "/dbs/d/colls/c/docs/2", key);
    send("GET", "/dbs/d/colls/c/docs/1", {{"authorization", ""}});
    send("DELETE", "/dbs/d/colls/c/docs/1", key);
    send("DELETE", "/dbs");
    send("GET", "/nowhere");
    send("GET", "/addresses");
    send("GET", "/alive");
    gateway_.refuse(431, "too large");
    const std::map<std::string, std::uint64_t> expected = {{"WriteDatabase 201", 1},
                                                           {"WriteContainer 201", 1},
                                                           {"CreateItem 201", 1},
                                                           {"CreateItem 409", 1},
                                                           {"UpsertItem 200", 1},
                                                           {"ReadItem 200", 2},
                                                           {"ReadItem 404", 1},
                                                           {"ReadItem 401", 1},
                                                           {"DeleteItem 204", 1},
                                                           {"Unknown 405", 1},
                                                           {"Unknown 404", 1},
                                                           {"Unknown 501", 1},
                                                           {"Unknown 431", 1},
                                                           {"Probe 200", 1}};
    EXPECT_EQ(counts(), expected);
}

TEST_F(RequestMonitorTest, AddsUpTimesAndTheChargesThatClientsSee) {
    make_container();
    double charged = 0;
    for (int i = 0; i < 3; ++i) {
        const auto reply = create(R"({"id":")" + std::to_string(i) + R"(","pk":"a"})");
        charged += std::stod(*reply.header("x-ms-request-charge"));
    }
    EXPECT_GT(charged, 0);
    EXPECT_DOUBLE_EQ(stats_of("CreateItem").request_units, charged);
    EXPECT_EQ(stats_of("CreateItem").times.count(), 3U);
    EXPECT_GT(stats_of("CreateItem").times.sum.count(), 0);
}

TEST_F(RequestMonitorTest, AddsUpWhatThreadsCount) {
    constexpr int kThreads = 4;
    constexpr int kTimes = 1000;
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            for (int n = 0; n < kTimes; ++n) {
                monitor_->count(
                    Operation(auth::Action::kReadItem), 200, std::chrono::microseconds(1), 0.01);
                monitor_->count(Operation::unknown(), 299, std::chrono::microseconds(1), 0);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(counts(),
              (std::map<std::string, std::uint64_t>{{"ReadItem 200", kThreads * kTimes},
                                                    {"Unknown 0", kThreads * kTimes}}));
    EXPECT_DOUBLE_EQ(stats_of("ReadItem").request_units, kThreads * kTimes / 100.0);
}

TEST_F(RequestMonitorTest, MetricsAreForLocalClientsAndThoseWithTheToken) {
    const auto answer = [&](Gateway& gateway, bool local, const Headers& headers) {
        auto exchange =
            std::make_shared<testing_support::FakeExchange>("GET", "/metrics", headers, "");
        exchange->local = local;
        return answer_of(gateway, exchange);
    };
    const auto reply = answer(gateway_, true, {});
    EXPECT_EQ(reply.status, 200U);
    EXPECT_EQ(reply.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    EXPECT_EQ(reply.body, "orrery_up 1\n");
    EXPECT_EQ(answer(gateway_, true, {{"X-Forwarded-For", "10.0.0.1"}}).status, 403U);
    EXPECT_EQ(answer(gateway_, false, {}).status, 403U);
    EXPECT_EQ(answer(gateway_, false, {{"authorization", "Bearer "}}).status, 403U);
    EXPECT_EQ(send("POST", "/metrics").status, 405U);

    metrics_token_ = "0123456789abcdef";
    Gateway with_token = make_gateway("");
    EXPECT_EQ(answer(with_token, true, {}).status, 200U);
    EXPECT_EQ(answer(with_token, false, {{"authorization", "Bearer 0123456789abcdef"}}).status,
              200U);
    EXPECT_EQ(answer(with_token, false, {{"authorization", "bearer 0123456789abcdef"}}).status,
              200U);
    for (const char* wrong : {"",
                              "Bearer",
                              "Bearer ",
                              "Bearer 0123456789abcdeF",
                              "Bearer 0123456789abcdef0",
                              "Basic 0123456789abcdef",
                              "0123456789abcdef"}) {
        const auto refused = answer(with_token, false, {{"authorization", wrong}});
        EXPECT_EQ(refused.status, 401U) << wrong;
        EXPECT_EQ(refused.header("www-authenticate"), "Bearer");
    }
}

TEST_F(RequestMonitorTest, FailuresAreLoggedWithTheirTrace) {
    make_container();
    ASSERT_EQ(create(R"({"id":"1","pk":"a"})").status, 201U);
    const auto container = services_.catalog->all_containers().front();
    engine_.fence(container->ranges[0].partition);
    testing::internal::CaptureStderr();
    const auto reply =
        create(R"({"id":"2","pk":"a"})",
               {{"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
                {"x-ms-activity-id", "my-activity"}});
    EXPECT_EQ(reply.status, 503U);
    send("GET", "/addresses");  // 501, which is no failure
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_THAT(log,
                HasSubstr("event=request_failed activity_id=my-activity operation=CreateItem "
                          "status=503 sub_status=0 reason="));
    EXPECT_THAT(log,
                HasSubstr("trace_id=4bf92f3577b34da6a3ce929d0e0e4736 "
                          "parent_id=00f067aa0ba902b7"));
    EXPECT_EQ(log.find("request_failed"), log.rfind("request_failed")) << log;
}

TEST_F(RequestMonitorTest, ManyFailuresDoNotFloodTheLog) {
    testing::internal::CaptureStderr();
    for (int i = 0; i < 1000; ++i) {
        monitor_->log_failure({.activity_id = "a",
                               .operation = Operation::unknown(),
                               .status = 503,
                               .sub_status = 0,
                               .reason = "full",
                               .trace = std::nullopt});
    }
    const std::string log = testing::internal::GetCapturedStderr();
    const auto lines = std::count(log.begin(), log.end(), '\n');
    EXPECT_GE(lines, 20);
    EXPECT_LE(lines, 200) << "a few seconds at most have passed";
}

TEST(SlowQueries, PlansInBrief) {
    sql::Access access;
    EXPECT_EQ(plan_summary(access), "scan");
    access.kind = sql::Access::Kind::kLookup;
    access.used.paths = {"/a/?", "/b/?"};
    EXPECT_EQ(plan_summary(access), "index lookup on /a/?, /b/?");
    access.used.paths.clear();
    access.used.composites = {{"/a ASC", "/b DESC"}};
    access.covered = true;
    EXPECT_EQ(plan_summary(access), "index lookup on (/a ASC, /b DESC); covered");
}

}  // namespace request_monitor_test
}  // namespace orrery::gateway
