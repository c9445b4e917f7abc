#include "tools/bench/pacing.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "tools/bench/item_numbers.h"
#include "tools/bench/random_stream.h"

namespace orrery::tools::bench {
namespace pacing_test {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::seconds;

const Time kStart = Time() + seconds(1000);

TEST(ArrivalScheduleTest, IsDueAtEvenTimes) {
    ArrivalSchedule schedule(kStart, 200);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(schedule.next() - kStart, milliseconds(5) * i);
    }
}

TEST(ArrivalScheduleTest, CountsWhatWasNotStarted) {
    ArrivalSchedule schedule(kStart, 100);
    EXPECT_EQ(schedule.overdue(kStart), 0U);
    EXPECT_EQ(schedule.overdue(kStart + milliseconds(995)), 100U);
    for (int i = 0; i < 60; ++i) {
        schedule.next();
    }
    EXPECT_EQ(schedule.overdue(kStart + milliseconds(995)), 40U);
    EXPECT_EQ(schedule.overdue(kStart + milliseconds(100)), 0U);
}

// Runs operations on so many connections of a server that takes `took` for each; returns the
// request units per second.
double paced(double target, std::size_t connections, milliseconds took, double least, double most) {
    RequestUnitPacer pacer(kStart, target);
    RandomStream random(6);
    constexpr seconds kDuration{100};
    double used = 0;
    struct Running {
        Time until;
        RequestUnitPacer::Admission admission;
        double charge = 0;
    };
    std::vector<Running> running;
    const auto start = [&](Time now) {
        const auto admission = pacer.admit(now);
        running.push_back({.until = admission.at + took,
                           .admission = admission,
                           .charge = least + random.unit() * (most - least)});
    };
    for (std::size_t i = 0; i < connections; ++i) {
        start(kStart);
    }
    while (true) {
        const auto next =
            std::min_element(running.begin(), running.end(), [](const auto& a, const auto& b) {
                return a.until < b.until;
            });
        const Running done = *next;
        if (done.until > kStart + kDuration) break;
        running.erase(next);
        used += done.charge;
        pacer.settle(done.admission, done.charge);
        start(done.until);
    }
    return used / duration<double>(kDuration).count();
}

TEST(RequestUnitPacerTest, UsesWhatItMay) {
    EXPECT_NEAR(paced(1000, 4, milliseconds(2), 1, 1), 1000, 20);
    EXPECT_NEAR(paced(1000, 100, milliseconds(20), 2, 20), 1000, 20);
    EXPECT_NEAR(paced(50, 10, milliseconds(5), 5, 50), 50, 5);
}

TEST(RequestUnitPacerTest, IsNoLimitForASlowServer) {
    // Two connections do 20 operations of 1 RU per second.
    EXPECT_NEAR(paced(1000, 2, milliseconds(100), 1, 1), 20, 1);
}

TEST(RequestUnitPacerTest, ForgetsUnitsThatWereNotUsed) {
    RequestUnitPacer pacer(kStart, 100);
    const Time later = kStart + seconds(60);
    int at_once = 0;
    while (true) {
        const auto admission = pacer.admit(later);
        if (admission.at > later) break;
        pacer.settle(admission, 1);
        ++at_once;
    }
    EXPECT_LE(at_once, 12);
}

TEST(ItemNumbersTest, ExistBelowTheFirstThatIsUnderWay) {
    ItemNumbers numbers(10);
    EXPECT_EQ(numbers.limit(), 10U);
    EXPECT_EQ(numbers.take(), 10U);
    EXPECT_EQ(numbers.take(), 11U);
    EXPECT_EQ(numbers.take(), 12U);
    numbers.settle(12);
    numbers.settle(11);
    EXPECT_EQ(numbers.limit(), 10U);
    numbers.settle(10);
    EXPECT_EQ(numbers.limit(), 13U);
    EXPECT_EQ(numbers.next(), 13U);
}

}  // namespace pacing_test
}  // namespace orrery::tools::bench
