#include "model/throughput.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "model/test_support.h"

namespace orrery::model {
namespace {

using testing::HasSubstr;
using testing_support::refusal;

TEST(Throughput, NothingWhenNeitherHeaderIsThere) {
    const auto none = parse_throughput(std::nullopt, std::nullopt);
    ASSERT_TRUE(none);
    EXPECT_FALSE(none->has_value());
}

TEST(Throughput, ManualInStepsOfOneHundred) {
    for (const std::int64_t units : {400, 500, 10'000, 20'100, 1'000'000}) {
        const auto given = parse_throughput(std::to_string(units), std::nullopt);
        ASSERT_TRUE(given) << units;
        EXPECT_EQ(**given, (Throughput{.request_units = units, .autoscale = false}));
    }
}

TEST(Throughput, BadManualValuesAreRefused) {
    for (const char* text : {"",
                             "0",
                             "-400",
                             "300",
                             "399",
                             "450",
                             "1000100",
                             "400.0",
                             "4e2",
                             "400 ",
                             " 400",
                             "many",
                             "99999999999999999999"}) {
        EXPECT_THAT(refusal(parse_throughput(text, std::nullopt)), HasSubstr("between 400 and"))
            << text;
    }
}

TEST(Throughput, AutoscaleInStepsOfOneThousand) {
    for (const std::int64_t units : {1000, 4000, 1'000'000}) {
        const std::string settings = "{\"maxThroughput\":" + std::to_string(units) + "}";
        const auto given = parse_throughput(std::nullopt, settings);
        ASSERT_TRUE(given) << units;
        EXPECT_EQ(**given, (Throughput{.request_units = units, .autoscale = true}));
    }
    EXPECT_TRUE(parse_throughput(
        std::nullopt,
        R"({"maxThroughput":4000,"autoUpgradePolicy":{"throughputPolicy":{"incrementPercent":10}}})"));
}

TEST(Throughput, BadAutoscaleSettingsAreRefused) {
    for (const char* text : {"{}",
                             "[]",
                             "4000",
                             "{\"maxThroughput\":null}",
                             "{\"maxThroughput\":\"4000\"}",
                             "{\"maxThroughput\":900}",
                             "{\"maxThroughput\":1500}",
                             "{\"maxThroughput\":0}",
                             "{\"maxThroughput\":-1000}",
                             "{\"maxThroughput\":1000.5}",
                             "{\"maxThroughput\":1001000}"}) {
        EXPECT_THAT(refusal(parse_throughput(std::nullopt, text)), HasSubstr("between 1000 and"))
            << text;
    }
    EXPECT_THAT(refusal(parse_throughput(std::nullopt, "{maxThroughput:")), HasSubstr("JSON"));
}

TEST(Throughput, BothAtOnceAreRefused) {
    EXPECT_THAT(refusal(parse_throughput("400", "{\"maxThroughput\":4000}")),
                HasSubstr("together"));
}

TEST(Throughput, OnePartitionForEveryTenThousand) {
    EXPECT_EQ(partition_count_for(0), 1U);
    EXPECT_EQ(partition_count_for(400), 1U);
    EXPECT_EQ(partition_count_for(10'000), 1U);
    EXPECT_EQ(partition_count_for(10'001), 2U);
    EXPECT_EQ(partition_count_for(20'000), 2U);
    EXPECT_EQ(partition_count_for(1'000'000), 100U);
}

}  // namespace
}  // namespace orrery::model
