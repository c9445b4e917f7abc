#include "model/throughput_buckets.h"

#include <gtest/gtest.h>

namespace orrery::model {
namespace {

Result<std::vector<ThroughputBucket>> parse(const char* text) {
    return parse_throughput_buckets(*json::Value::parse(text));
}

TEST(ThroughputBuckets, ComeBackAsSent) {
    constexpr const char* kText =
        R"([{"id":1,"maxThroughputPercentage":20},)"
        R"({"id":5,"maxThroughputPercentage":100,"isDefaultBucket":true}])";
    const auto buckets = parse(kText);
    ASSERT_TRUE(buckets);
    EXPECT_EQ(to_json(*buckets).text(), kText);
    EXPECT_TRUE(parse("[]")->empty());
}

TEST(ThroughputBuckets, RefusesWhatMakesNoSense) {
    for (const char* text : {R"({})",
                             R"([1])",
                             R"([{"id":0,"maxThroughputPercentage":20}])",
                             R"([{"id":6,"maxThroughputPercentage":20}])",
                             R"([{"id":1}])",
                             R"([{"id":1,"maxThroughputPercentage":0}])",
                             R"([{"id":1,"maxThroughputPercentage":101}])",
                             R"([{"id":1,"maxThroughputPercentage":1.5}])",
                             R"([{"id":1,"maxThroughputPercentage":1,"isDefaultBucket":1}])",
                             R"([{"id":1,"maxThroughputPercentage":1},
                                 {"id":1,"maxThroughputPercentage":2}])",
                             R"([{"id":1,"maxThroughputPercentage":1,"isDefaultBucket":true},
                                 {"id":2,"maxThroughputPercentage":2,"isDefaultBucket":true}])"}) {
        EXPECT_FALSE(parse(text)) << text;
    }
}

}  // namespace
}  // namespace orrery::model
