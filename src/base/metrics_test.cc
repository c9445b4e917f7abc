#include "base/metrics.h"

#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/metrics_writer.h"

namespace orrery::metrics {
namespace metrics_test {

using std::chrono::microseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

TEST(Metrics, AddsUpWhatAllThreadsCount) {
    constexpr std::size_t kThreads = kReadSlots + 5;  // some share slots
    constexpr int kTimes = 10'000;
    const auto counter = std::make_unique<Counter>();
    const auto histogram = std::make_unique<Histogram>();
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            for (int n = 0; n < kTimes; ++n) {
                counter->add(2);
                histogram->add(microseconds(200));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(counter->value(), 2 * kThreads * kTimes);
    const Times times = histogram->times();
    EXPECT_EQ(times.count(), kThreads * kTimes);
    EXPECT_EQ(times.buckets[1], kThreads * kTimes);
    EXPECT_EQ(times.sum, microseconds(200) * kThreads * kTimes);
}

TEST(Metrics, PutsTimesIntoTheBucketOfTheFirstBoundNotBelow) {
    Histogram histogram;
    histogram.add(nanoseconds(0));
    histogram.add(microseconds(100));
    histogram.add(microseconds(100) + nanoseconds(1));
    histogram.add(seconds(10));
    histogram.add(seconds(11));
    const Times times = histogram.times();
    EXPECT_EQ(times.buckets.front(), 2U);
    EXPECT_EQ(times.buckets[1], 1U);
    EXPECT_EQ(times.buckets[kTimeBounds.size() - 1], 1U);
    EXPECT_EQ(times.buckets.back(), 1U);
    EXPECT_EQ(times.count(), 5U);
    EXPECT_TRUE(std::is_sorted(kTimeBounds.begin(), kTimeBounds.end()));
}

TEST(MetricsWriter, WritesFamilies) {
    Writer writer;
    auto requests = writer.counter("orrery_requests_total", "Requests, by operation.");
    requests.add({{"operation", "ReadItem"}, {"status", "200"}}, 3U);
    requests.add({{"operation", "Query"}, {"status", "429"}}, 0.25);
    writer.gauge("orrery_connections", "Open\\connections\nnow \"open\".").add(7);
    writer.gauge("orrery_nothing", "Without samples.");
    EXPECT_EQ(std::move(writer).take(),
              "# HELP orrery_requests_total Requests, by operation.\n"
              "# TYPE orrery_requests_total counter\n"
              "orrery_requests_total{operation=\"ReadItem\",status=\"200\"} 3\n"
              "orrery_requests_total{operation=\"Query\",status=\"429\"} 0.25\n"
              "# HELP orrery_connections Open\\\\connections\\nnow \"open\".\n"
              "# TYPE orrery_connections gauge\n"
              "orrery_connections 7\n"
              "# HELP orrery_nothing Without samples.\n"
              "# TYPE orrery_nothing gauge\n");
}

TEST(MetricsWriter, EscapesLabelValues) {
    Writer writer;
    writer.gauge("orrery_x", "x").add({{"container", "a\\b\"c\nd{é}"}}, 1);
    EXPECT_NE(std::move(writer).take().find("{container=\"a\\\\b\\\"c\\nd{é}\"} 1\n"),
              std::string::npos);
}

TEST(MetricsWriter, WritesNumbersWithoutLoss) {
    Writer writer;
    auto family = writer.gauge("orrery_x", "x");
    family.add(std::uint64_t{18'446'744'073'709'551'615U});
    family.add(0.1);
    family.add(std::numeric_limits<double>::infinity());
    family.add(std::numeric_limits<double>::quiet_NaN());
    EXPECT_TRUE(std::move(writer).take().ends_with(
        "orrery_x 18446744073709551615\norrery_x 0.1\norrery_x +Inf\norrery_x NaN\n"));
}

TEST(MetricsWriter, WritesHistogramsCumulatively) {
    Histogram histogram;
    histogram.add(microseconds(50));
    histogram.add(microseconds(300));
    histogram.add(seconds(20));
    Writer writer;
    writer.histogram("orrery_x_seconds", "x").add({{"operation", "a"}}, histogram.times());
    const std::string text = std::move(writer).take();
    const auto has = [&](const std::string& line) {
        return text.find(line + "\n") != std::string::npos;
    };
    EXPECT_TRUE(has("# TYPE orrery_x_seconds histogram"));
    EXPECT_TRUE(has("orrery_x_seconds_bucket{operation=\"a\",le=\"0.0001\"} 1"));
    EXPECT_TRUE(has("orrery_x_seconds_bucket{operation=\"a\",le=\"0.00025\"} 1"));
    EXPECT_TRUE(has("orrery_x_seconds_bucket{operation=\"a\",le=\"0.0005\"} 2"));
    EXPECT_TRUE(has("orrery_x_seconds_bucket{operation=\"a\",le=\"1\"} 2"));
    EXPECT_TRUE(has("orrery_x_seconds_bucket{operation=\"a\",le=\"10\"} 2"));
    EXPECT_TRUE(has("orrery_x_seconds_bucket{operation=\"a\",le=\"+Inf\"} 3"));
    EXPECT_TRUE(has("orrery_x_seconds_sum{operation=\"a\"} 20.00035"));
    EXPECT_TRUE(has("orrery_x_seconds_count{operation=\"a\"} 3"));
}

}  // namespace metrics_test
}  // namespace orrery::metrics
