#include "base/histogram.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace orrery {
namespace histogram_test {

using std::chrono::nanoseconds;

constexpr double kAccuracy = 1.0 / 64;

std::int64_t exact(const std::vector<std::int64_t>& sorted, double share) {
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

TEST(HistogramTest, QuantilesAreWithinTheWidthOfABucket) {
    std::mt19937_64 random(7);
    std::lognormal_distribution<double> latencies(13, 2);  // around 0.4 ms, with a long tail
    std::vector<std::int64_t> all;
    Histogram histogram;
    for (int i = 0; i < 50'000; ++i) {
        all.push_back(static_cast<std::int64_t>(latencies(random)));
        histogram.add(nanoseconds(all.back()));
    }
    std::sort(all.begin(), all.end());
    for (const double share : {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
        const auto wanted = static_cast<double>(exact(all, share));
        const auto found = static_cast<double>(histogram.quantile(share).count());
        EXPECT_GE(found, wanted) << share;
        EXPECT_LE(found, wanted * (1 + kAccuracy) + 1) << share;
    }
    EXPECT_EQ(histogram.max().count(), all.back());
    EXPECT_EQ(histogram.count(), all.size());
}

TEST(HistogramTest, SmallValuesAreExact) {
    Histogram histogram;
    for (int i = 1; i <= 100; ++i) {
        histogram.add(nanoseconds(i));
    }
    EXPECT_EQ(histogram.quantile(0.5).count(), 50);
    EXPECT_EQ(histogram.quantile(0.99).count(), 99);
    EXPECT_EQ(histogram.quantile(0.999).count(), 100);
}

TEST(HistogramTest, TakesExtremes) {
    Histogram histogram;
    EXPECT_EQ(histogram.quantile(0.5).count(), 0);
    histogram.add(nanoseconds(-5));
    EXPECT_EQ(histogram.quantile(1).count(), 0);
    histogram.add(nanoseconds::max());
    EXPECT_EQ(histogram.quantile(1), nanoseconds::max());
}

TEST(HistogramTest, SumsUp) {
    Histogram one;
    Histogram other;
    Histogram both;
    for (int i = 0; i < 1000; ++i) {
        (i % 3 == 0 ? one : other).add(nanoseconds(i * i));
        both.add(nanoseconds(i * i));
    }
    one.add(other);
    EXPECT_EQ(one.count(), both.count());
    EXPECT_EQ(one.max(), both.max());
    for (const double share : {0.1, 0.5, 0.9, 1.0}) {
        EXPECT_EQ(one.quantile(share), both.quantile(share));
    }
}

}  // namespace histogram_test
}  // namespace orrery
