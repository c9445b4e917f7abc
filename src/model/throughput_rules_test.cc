#include "model/throughput_rules.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "model/test_support.h"

namespace orrery::model {
namespace throughput_rules_test {

using testing::HasSubstr;
using testing_support::refusal;

constexpr std::uint64_t kGigabyte = std::uint64_t{1} << 30;

Throughput manual(std::int64_t units) { return {.request_units = units, .autoscale = false}; }
Throughput autoscale(std::int64_t units) { return {.request_units = units, .autoscale = true}; }

std::int64_t least(ThroughputMode mode, const ThroughputHistory& history) {
    return bounds_of(mode, history).min;
}

TEST(ThroughputRules, NewResources) {
    for (const std::int64_t units : {400, 500, 10'000, 20'100, 1'000'000}) {
        EXPECT_TRUE(check_throughput(manual(units), {})) << units;
    }
    for (const std::int64_t units : {1000, 4000, 1'000'000}) {
        EXPECT_TRUE(check_throughput(autoscale(units), {})) << units;
    }
    for (const std::int64_t units : {-400, 0, 300, 399, 450, 1'000'100}) {
        EXPECT_THAT(refusal(check_throughput(manual(units), {})),
                    HasSubstr("between 400 and 1000000 inclusive in increments of 100."))
            << units;
    }
    for (const std::int64_t units : {-1000, 0, 900, 1500, 1'001'000}) {
        EXPECT_THAT(refusal(check_throughput(autoscale(units), {})),
                    HasSubstr("between 1000 and 1000000 inclusive in increments of 1000."))
            << units;
    }
}

// The examples of the service's documentation, and the edges of its formulas.
TEST(ThroughputRules, LeastManualThroughput) {
    const auto mode = ThroughputMode::kManual;
    EXPECT_EQ(least(mode, {}), 400);
    EXPECT_EQ(least(mode, {.highest_units = 50'000, .stored_bytes = 20 * kGigabyte}), 500);
    EXPECT_EQ(least(mode, {.highest_units = 40'000}), 400);
    EXPECT_EQ(least(mode, {.highest_units = 40'100}), 500) << "values come in steps of 100";
    EXPECT_EQ(least(mode, {.stored_bytes = 400 * kGigabyte}), 400);
    EXPECT_EQ(least(mode, {.stored_bytes = 400 * kGigabyte + 1}), 500);
    EXPECT_EQ(least(mode, {.sharing_containers = 25}), 400);
    EXPECT_EQ(least(mode, {.sharing_containers = 30}), 900);
}

TEST(ThroughputRules, LeastAutoscaleThroughput) {
    const auto mode = ThroughputMode::kAutoscale;
    EXPECT_EQ(least(mode, {}), 1000);
    EXPECT_EQ(least(mode, {.highest_units = 10'000}), 1000);
    EXPECT_EQ(least(mode, {.highest_units = 10'100}), 2000) << "values come in steps of 1000";
    EXPECT_EQ(least(mode, {.highest_units = 100'000}), 10'000);
    EXPECT_EQ(least(mode, {.stored_bytes = 100 * kGigabyte}), 1000);
    EXPECT_EQ(least(mode, {.stored_bytes = 101 * kGigabyte}), 2000);
    EXPECT_EQ(least(mode, {.sharing_containers = 30}), 6000);
    EXPECT_EQ(least(mode, {.stored_bytes = 1'000'000 * kGigabyte}), 1'000'000)
        << "never above the maximum";
}

TEST(ThroughputRules, RefusalsNameTheCause) {
    EXPECT_EQ(refusal(check_throughput(manual(300), {})),
              "The offer should have valid throughput values between 400 and 1000000 inclusive in "
              "increments of 100. Requested throughput 300 is less than required minimum "
              "throughput 400.");
    EXPECT_EQ(refusal(check_throughput(autoscale(8000), {.highest_units = 100'000})),
              "The offer should have valid throughput values between 10000 and 1000000 inclusive "
              "in increments of 1000. Requested throughput 8000 is less than required minimum "
              "throughput 10000. Minimum limit 10000 is because of Highest RUs provisioned "
              "100000.");
    EXPECT_THAT(refusal(check_throughput(manual(400), {.stored_bytes = 450 * kGigabyte})),
                HasSubstr("Minimum limit 500 is because of Storage consumed 450 GB."));
    EXPECT_THAT(refusal(check_throughput(manual(400), {.sharing_containers = 27})),
                HasSubstr("Minimum limit 600 is because of Number of containers 27."));
    EXPECT_THAT(
        refusal(check_throughput(manual(1'000'100), {})),
        HasSubstr(
            "Requested throughput 1000100 is more than possible maximum throughput 1000000."));
}

TEST(ThroughputRules, WithoutAPartitionKey) {
    const ThroughputHistory history{.has_partition_key = false};
    EXPECT_TRUE(check_throughput(manual(10'000), history));
    EXPECT_THAT(refusal(check_throughput(manual(10'100), history)),
                HasSubstr("between 400 and 10000 inclusive"));
    const Status refused = check_throughput(autoscale(4000), history);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().sub_status(), 1018U);
    const Throughput level{
        .request_units = 250, .autoscale = false, .level = PerformanceLevel::kS1};
    EXPECT_TRUE(check_throughput(level, history));
}

TEST(ThroughputRules, Migration) {
    const auto units = [](const Throughput& from, const ThroughputHistory& history) {
        const auto to = migrated(from, history);
        EXPECT_TRUE(to);
        EXPECT_EQ(to->autoscale, !from.autoscale);
        return to->request_units;
    };
    EXPECT_EQ(units(manual(400), {.highest_units = 400}), 1000);
    EXPECT_EQ(units(manual(1100), {.highest_units = 1100}), 2000);
    EXPECT_EQ(units(manual(10'000), {.highest_units = 10'000}), 10'000);
    EXPECT_EQ(units(manual(500), {.highest_units = 50'000}), 5000);
    EXPECT_EQ(units(manual(500), {.highest_units = 500, .stored_bytes = 450 * kGigabyte}), 5000);
    EXPECT_EQ(units(manual(999'900), {.highest_units = 999'900}), 1'000'000);
    EXPECT_EQ(units(autoscale(6000), {.highest_units = 60'000}), 6000);
    EXPECT_THAT(refusal(migrated(manual(400), {.has_partition_key = false})),
                HasSubstr("partition key"));
    const Throughput level{
        .request_units = 2500, .autoscale = false, .level = PerformanceLevel::kS3};
    EXPECT_EQ(*migrated(level, {}), autoscale(3000));
}

}  // namespace throughput_rules_test
}  // namespace orrery::model
