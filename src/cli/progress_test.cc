#include "cli/progress.h"

#include <gtest/gtest.h>

namespace orrery::cli {
namespace progress_test {

using std::chrono::seconds;

TEST(ProgressTest, ShowsRatesAndTheTimeLeft) {
    ProgressCounts counts;
    counts.items = 12'000;
    counts.done = 25;
    counts.total = 100;
    counts.add_charge(30'000);
    counts.add_charge(30'000);
    EXPECT_EQ(progress_line("imported", counts, seconds(10)),
              "imported 12,000 items · 1,200/s · 6,000 RU/s · 25 % · 30 s left");
    counts.failed = 1234;
    counts.done = 100;
    EXPECT_EQ(progress_line("imported", counts, seconds(10)),
              "imported 12,000 items · 1,234 failed · 1,200/s · 6,000 RU/s · 100 % · 10 s");
}

TEST(ProgressTest, GetsByWithoutATotal) {
    ProgressCounts counts;
    EXPECT_EQ(progress_line("exported", counts, seconds(0)), "exported 0 items · 0/s · 0 s");
}

TEST(ProgressTest, PrintsNumbersAndTimes) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1'000), "1,000");
    EXPECT_EQ(grouped(1'234'567), "1,234,567");
    EXPECT_EQ(printed_duration(seconds(59)), "59 s");
    EXPECT_EQ(printed_duration(seconds(200)), "3 min 20 s");
    EXPECT_EQ(printed_duration(seconds(7500)), "2 h 5 min");
}

}  // namespace progress_test
}  // namespace orrery::cli
