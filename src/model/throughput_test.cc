#include "model/throughput.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "model/test_support.h"

namespace orrery::model {
namespace throughput_test {

using testing::HasSubstr;
using testing_support::refusal;

TEST(Throughput, NothingWhenNeitherHeaderIsThere) {
    const auto none = parse_throughput(std::nullopt, std::nullopt);
    ASSERT_TRUE(none);
    EXPECT_FALSE(none->has_value());
}

TEST(Throughput, ManualIsANumber) {
    for (const std::int64_t units : {-1, 0, 400, 20'100, 1'000'000}) {
        const auto given = parse_throughput(std::to_string(units), std::nullopt);
        ASSERT_TRUE(given) << units;
        EXPECT_EQ(**given, (Throughput{.request_units = units, .autoscale = false}));
    }
}

TEST(Throughput, BadManualValuesAreRefused) {
    for (const char* text : {"", "400.0", "4e2", "400 ", " 400", "many", "99999999999999999999"}) {
        EXPECT_EQ(refusal(parse_throughput(text, std::nullopt)),
                  "The offer should have valid throughput values between 400 and 1000000 "
                  "inclusive in increments of 100.")
            << text;
    }
}

TEST(Throughput, AutoscaleIsANumberInSettings) {
    for (const std::int64_t units : {-1000, 0, 900, 1000, 1'000'000}) {
        const std::string settings = "{\"maxThroughput\":" + std::to_string(units) + "}";
        const auto given = parse_throughput(std::nullopt, settings);
        ASSERT_TRUE(given) << units;
        EXPECT_EQ(**given, (Throughput{.request_units = units, .autoscale = true}));
    }
}

TEST(Throughput, AutoUpgradePolicyIsKeptAsSent) {
    const std::string policy = R"({"throughputPolicy":{"incrementPercent":1.0e1,"x":[]}})";
    const auto given = parse_throughput(
        std::nullopt, "{\"maxThroughput\":4000,\"autoUpgradePolicy\":" + policy + "}");
    ASSERT_TRUE(given);
    ASSERT_TRUE((*given)->auto_upgrade_policy);
    EXPECT_EQ((*given)->auto_upgrade_policy->text(), policy);
    const auto null =
        parse_throughput(std::nullopt, R"({"maxThroughput":4000,"autoUpgradePolicy":null})");
    ASSERT_TRUE(null);
    EXPECT_FALSE((*null)->auto_upgrade_policy);
    const std::string large = "{\"a\":\"" + std::string(1024, 'a') + "\"}";
    for (const std::string& bad : {std::string("5"), std::string("[]"), large}) {
        EXPECT_THAT(
            refusal(parse_throughput(std::nullopt,
                                     "{\"maxThroughput\":4000,\"autoUpgradePolicy\":" + bad + "}")),
            HasSubstr("autoUpgradePolicy"));
    }
}

TEST(Throughput, BadAutoscaleSettingsAreRefused) {
    for (const char* text : {"{}",
                             "[]",
                             "4000",
                             "{\"maxThroughput\":null}",
                             "{\"maxThroughput\":\"4000\"}",
                             "{\"maxThroughput\":1000.5}"}) {
        EXPECT_THAT(refusal(parse_throughput(std::nullopt, text)), HasSubstr("between 1000 and"))
            << text;
    }
    EXPECT_THAT(refusal(parse_throughput(std::nullopt, "{maxThroughput:")), HasSubstr("JSON"));
}

TEST(Throughput, BothAtOnceAreRefused) {
    EXPECT_THAT(refusal(parse_throughput("400", "{\"maxThroughput\":4000}")),
                HasSubstr("together"));
}

TEST(Throughput, LevelsHaveTheirThroughput) {
    const auto units = [](const char* level) {
        const auto given = parse_throughput(std::nullopt, std::nullopt, level);
        return given && name_of((*given)->level) == level ? (*given)->request_units : -1;
    };
    EXPECT_EQ(units("S1"), 250);
    EXPECT_EQ(units("S2"), 1000);
    EXPECT_EQ(units("S3"), 2500);
    EXPECT_THAT(refusal(parse_throughput(std::nullopt, std::nullopt, "S4")), HasSubstr("'S4'"));
    // A number takes precedence.
    EXPECT_EQ(**parse_throughput("400", std::nullopt, "S1"),
              (Throughput{.request_units = 400, .autoscale = false}));
}

TEST(Throughput, ManualThroughputStartsWithSixThousandEach) {
    const auto count = [](std::int64_t units) {
        return partition_count_for({.request_units = units, .autoscale = false});
    };
    EXPECT_EQ(count(0), 1U);
    EXPECT_EQ(count(400), 1U);
    EXPECT_EQ(count(10'000), 1U);
    EXPECT_EQ(count(10'100), 2U);
    EXPECT_EQ(count(12'000), 2U);
    EXPECT_EQ(count(12'100), 3U);
    EXPECT_EQ(count(18'000), 3U);
    EXPECT_EQ(count(25'100), 5U);
    EXPECT_EQ(count(30'000), 5U);
    EXPECT_EQ(count(1'000'000), 167U);
}

TEST(Throughput, SharedThroughputStartsWithTenThousandEach) {
    for (const bool autoscale : {false, true}) {
        const auto count = [&](std::int64_t units) {
            return shared_partition_count_for({.request_units = units, .autoscale = autoscale});
        };
        EXPECT_EQ(count(400), 1U);
        EXPECT_EQ(count(10'000), 1U);
        EXPECT_EQ(count(11'000), 2U);
        EXPECT_EQ(count(20'000), 2U);
        EXPECT_EQ(count(21'000), 3U);
    }
}

TEST(Throughput, AutoscaleStartsWithTenThousandEach) {
    const auto count = [](std::int64_t units) {
        return partition_count_for({.request_units = units, .autoscale = true});
    };
    EXPECT_EQ(count(1'000), 1U);
    EXPECT_EQ(count(10'000), 1U);
    EXPECT_EQ(count(11'000), 2U);
    EXPECT_EQ(count(20'000), 2U);
    EXPECT_EQ(count(1'000'000), 100U);
}

}  // namespace throughput_test
}  // namespace orrery::model
