#include "tools/bench/result.h"

#include <gmock/gmock.h>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "json/property.h"
#include "tools/bench/chart.h"
#include "tools/bench/comparison.h"

namespace orrery::tools::bench {
namespace result_test {

using json::Value;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

const Workload& workload(std::string_view name) {
    for (const Workload& one : all_workloads()) {
        if (one.name == name) return one;
    }
    ADD_FAILURE() << name;
    return all_workloads().front();
}

// Ten seconds of workload d: 900 reads of 1 RU and 100 inserts of 10 RU.
BenchResult some_result(std::uint64_t reads = 900, milliseconds latency = milliseconds(4)) {
    Recorder recorder;
    for (std::uint64_t i = 0; i < reads; ++i) {
        recorder.add(i, Operation::kRead, {.charge = 1}, latency);
    }
    for (std::uint64_t i = 0; i < 100; ++i) {
        recorder.add(i, Operation::kInsert, {.status = 201, .charge = 10}, 2 * latency);
    }
    recorder.cut(seconds(10));
    BenchResult out;
    out.settings.workload = workload("d");
    out.settings.load = 50;
    out.item_bytes = 1000;
    out.phase.elapsed = seconds(10);
    out.totals = recorder.totals();
    out.failures = recorder.failures();
    out.samples = recorder.samples();
    return out;
}

double number(const Value& result, const json::Path& path) {
    const Value* const found = json::find_at(result, path);
    EXPECT_NE(found, nullptr) << json::printed_path(path);
    return found != nullptr ? found->number() : 0;
}

TEST(WorkloadTest, MixesAsItSays) {
    for (const Workload& one : all_workloads()) {
        std::array<unsigned, kOperations> found{};
        for (std::uint64_t draw = 0; draw < 100; ++draw) {
            ++found[static_cast<std::size_t>(one.operation(draw))];
        }
        EXPECT_EQ(found, one.percent) << one.name;
        EXPECT_EQ(one.needs_items(), one.name != "insert");
    }
}

TEST(RecorderTest, CountsByOperationAndSecond) {
    Recorder recorder;
    recorder.add(0, Operation::kRead, {.charge = 1, .throttled = 2}, milliseconds(5));
    recorder.add(1, Operation::kRead, {.status = 404, .problem = "gone", .charge = 3}, seconds(9));
    recorder.add(9, Operation::kRead, {.status = 404, .problem = "other"}, seconds(9));
    // What was cut short is no operation, but has been paid for.
    recorder.add(
        2, Operation::kUpdate, {.finished = false, .charge = 7, .throttled = 1}, seconds(9));
    const Sample first = recorder.cut(seconds(1));
    EXPECT_EQ(first.operations, 1U);
    EXPECT_EQ(first.errors, 2U);
    EXPECT_EQ(first.throttled, 3U);
    EXPECT_EQ(first.charge, 11);
    EXPECT_EQ(first.max, milliseconds(5));
    recorder.add(3, Operation::kUpdate, {.charge = 2, .conflicts = 4}, milliseconds(1));
    const Sample second = recorder.cut(milliseconds(1500));
    EXPECT_EQ(second.operations, 1U);
    EXPECT_EQ(second.length, milliseconds(500));
    EXPECT_EQ(second.throughput(), 2);
    const auto totals = recorder.totals();
    const Totals& reads = (*totals)[static_cast<std::size_t>(Operation::kRead)];
    EXPECT_EQ(reads.operations(), 1U);
    EXPECT_EQ(reads.errors, 2U);
    EXPECT_EQ(reads.charge, 4);
    EXPECT_EQ(reads.charge_succeeded, 1);
    EXPECT_EQ(recorder.sum().conflicts, 4U);
    const auto failures = recorder.failures();
    ASSERT_EQ(failures.size(), 1U);
    EXPECT_EQ(failures.at(404).count, 2U);
}

TEST(RecorderTest, LosesNothingBetweenThreads) {
    Recorder recorder;
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < 20; ++thread) {
        threads.emplace_back([&recorder, thread] {
            for (int i = 0; i < 500; ++i) {
                recorder.add(thread, Operation::kRead, {.charge = 1}, nanoseconds(i));
            }
        });
    }
    for (int i = 1; i < 5; ++i) {
        recorder.cut(milliseconds(i));
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    recorder.cut(seconds(1));
    std::uint64_t in_samples = 0;
    for (const Sample& sample : recorder.samples()) {
        in_samples += sample.operations;
    }
    EXPECT_EQ(in_samples, 10'000U);
    EXPECT_EQ(recorder.sum().charge, 10'000);
}

TEST(ProjectionTest, IsAMonthAtThisRate) {
    // 100 operations, 190 RU and 10 new items of 1000 bytes a second.
    const Projection projection = project(some_result());
    constexpr double kMonth = 30.0 * 86'400;
    EXPECT_NEAR(projection.operations, 100 * kMonth, 1);
    EXPECT_NEAR(projection.request_units, 190 * kMonth, 1);
    EXPECT_NEAR(projection.items, 10 * kMonth, 1);
    EXPECT_NEAR(projection.bytes, 10'000 * kMonth, 1000);
    EXPECT_THAT(print(some_result()),
                HasSubstr("30 days have 259.2 million operations and 492.5 million RU"));
}

TEST(ProjectionTest, OfNothingIsNothing) {
    const Projection projection = project(BenchResult());
    EXPECT_EQ(projection.operations, 0);
    EXPECT_EQ(projection.request_units, 0);
    EXPECT_THAT(print(BenchResult()), Not(HasSubstr("nan")));
    EXPECT_THAT(to_json(BenchResult()).text(), Not(HasSubstr("nan")));
    EXPECT_THAT(draw_chart(BenchResult()), Not(HasSubstr("nan")));
}

TEST(ResultTest, HasAllFigures) {
    const Value result = to_json(some_result());
    EXPECT_EQ(number(result, {"operations"}), 1000);
    EXPECT_EQ(number(result, {"throughput"}), 100);
    EXPECT_EQ(number(result, {"requestUnits"}), 1900);
    EXPECT_EQ(number(result, {"requestUnitsPerSecond"}), 190);
    EXPECT_EQ(number(result, {"requestUnitsPerOperation"}), 1.9);
    EXPECT_EQ(number(result, {"byOperation", "insert", "requestUnitsPerOperation"}), 10);
    EXPECT_NEAR(number(result, {"byOperation", "read", "latencyMs", "p50"}), 4, 0.1);
    EXPECT_NEAR(number(result, {"byOperation", "insert", "latencyMs", "p99.9"}), 8, 0.2);
    EXPECT_EQ(number(result, {"byOperation", "insert", "latencyMs", "max"}), 8);
    EXPECT_EQ(result.find("byOperation")->object().size(), 2U);
    EXPECT_EQ(result.find("series")->array().size(), 1U);
}

TEST(ResultTest, ExitCodes) {
    BenchResult result = some_result();
    EXPECT_EQ(result.exit_code(), 0);
    result.failures[404] = {.count = 1, .example = "gone"};
    EXPECT_EQ(result.exit_code(), 1);
    result.phase.interrupted = true;
    EXPECT_EQ(result.exit_code(), 130);
}

TEST(ComparisonTest, ShowsDifferencesInPercent) {
    const auto table = compare(to_json(some_result()), to_json(some_result(1100, milliseconds(3))));
    ASSERT_TRUE(table) << table.error().message();
    EXPECT_THAT(*table, testing::ContainsRegex("operations/s +100.00 +120.00 +\\+20.0 %"));
    EXPECT_THAT(*table, testing::ContainsRegex("read max ms +4.000 +3.000 +-25.0 %"));
    EXPECT_THAT(*table, testing::ContainsRegex("insert max ms +8.000 +6.000 +-25.0 %"));
    EXPECT_THAT(*table, testing::ContainsRegex("errors +0 +0 +0.0 %"));
    EXPECT_THAT(*table, Not(HasSubstr("did not complete")));
}

TEST(ComparisonTest, RefusesDifferentWork) {
    const auto problem = [](const Value& before, const Value& after) {
        const auto table = compare(before, after);
        return table ? "none" : table.error().message();
    };
    const Value good = to_json(some_result());
    BenchResult other = some_result();
    other.settings.workload = workload("b");
    EXPECT_EQ(problem(good, to_json(other)), "the results have different workloads: d and b");
    other = some_result();
    other.settings.template_text = "{}";
    EXPECT_THAT(problem(good, to_json(other)), HasSubstr("different templates"));
    other = some_result();
    other.settings.rate = 100;
    EXPECT_EQ(problem(good, to_json(other)), "the results have different rates: none and 100.00");
    other = some_result();
    other.settings.load = 51;
    EXPECT_THAT(problem(to_json(other), good), HasSubstr("different numbers of items: 51 and 50"));
    EXPECT_THAT(problem(Value(1), good), HasSubstr("the old file is not a result"));
    Value newer = good;
    newer.set("format", 2);
    EXPECT_THAT(problem(good, newer), HasSubstr("another version"));
    // The number of connections may be what is compared.
    other = some_result();
    other.settings.connections = 99;
    EXPECT_EQ(problem(good, to_json(other)), "none");
}

TEST(ChartTest, DrawsEachPanel) {
    BenchResult result = some_result();
    result.settings.workload.summary = "a < b & c";
    const std::string chart = draw_chart(result);
    EXPECT_THAT(chart, testing::StartsWith("<svg xmlns="));
    EXPECT_THAT(chart, HasSubstr("Workload d: a &lt; b &amp; c"));
    for (const char* const text : {"Latency in ms",
                                   "Operations per second",
                                   "Request units per second",
                                   ">p99<",
                                   ">seconds<"}) {
        EXPECT_THAT(chart, HasSubstr(text));
    }
    EXPECT_THAT(chart, Not(HasSubstr("inf")));
}

TEST(ChartTest, StaysSmallOverADay) {
    BenchResult result = some_result();
    const Sample sample = result.samples.front();
    result.samples.clear();
    for (int i = 0; i < 86'400; ++i) {
        result.samples.push_back(sample);
        result.samples.back().until = seconds(i + 1);
        result.samples.back().length = seconds(1);
    }
    EXPECT_LT(draw_chart(result).size(), 100'000U);
}

}  // namespace result_test
}  // namespace orrery::tools::bench
