#include "throughput/account.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace orrery::throughput {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class AccountTest : public testing::Test {
protected:
    // Not the epoch, which a default-constructed time would also be.
    Account::TimePoint now_{std::chrono::hours(1)};

    bool admits(Account& account, Priority priority = Priority::kHigh) {
        return !account.refusal(priority, now_);
    }

    // Requests of that cost, as many as are admitted, tried every millisecond. The cost must be
    // more than is earned in a millisecond.
    double spend_for(Account& account, milliseconds time, double cost) {
        double spent = 0;
        for (const auto end = now_ + time; now_ < end; now_ += milliseconds(1)) {
            while (admits(account)) {
                account.spend(cost, now_);
                spent += cost;
            }
        }
        return spent;
    }
};

TEST_F(AccountTest, LetsAnOperationFinishAndBlocksUntilTheDebtIsRepaid) {
    Account account({.units_per_second = 400}, now_);
    EXPECT_TRUE(admits(account));
    account.spend(800, now_);
    const auto wait = account.refusal(Priority::kHigh, now_);
    ASSERT_TRUE(wait);
    EXPECT_EQ(*wait, milliseconds(1000));  // 400 of a full balance are left to repay
    now_ += milliseconds(999);
    EXPECT_FALSE(admits(account));
    now_ += milliseconds(2);
    EXPECT_TRUE(admits(account));
}

TEST_F(AccountTest, SpendsWhatItEarnsInTheLongRun) {
    for (const double cost : {1.0, 7.3, 250.0, 900.0}) {
        Account account({.units_per_second = 400}, now_);
        account.spend(400, now_);  // the first second's worth
        EXPECT_NEAR(spend_for(account, seconds(30), cost), 12000, cost + 1) << cost;
    }
}

TEST_F(AccountTest, LosesWhatIsNotUsedWithinASecond) {
    Account account({.units_per_second = 400}, now_);
    now_ += seconds(1000);
    EXPECT_NEAR(spend_for(account, milliseconds(1), 1), 400, 2);
}

TEST_F(AccountTest, SavesFiveMinutesForBursts) {
    Account account({.units_per_second = 400, .burst = true}, now_);
    now_ += seconds(1000);
    EXPECT_TRUE(admits(account));  // settles
    // 400 at once, then 3,000 per second until the savings of 120,000 are used up.
    EXPECT_NEAR(spend_for(account, seconds(10), 1), 30400, 100);
    EXPECT_NEAR(spend_for(account, seconds(60), 1), 120000 - 26000 + 60 * 400, 500);
    EXPECT_NEAR(spend_for(account, seconds(10), 1), 4000, 20);
}

TEST_F(AccountTest, DoesNotBurstAboveTheRateOfBursts) {
    Account account({.units_per_second = 5000, .burst = true}, now_);
    now_ += seconds(1000);
    EXPECT_NEAR(spend_for(account, seconds(2), 10), 15000, 50);
}

TEST_F(AccountTest, RefusesLowPriorityFirst) {
    Account account({.units_per_second = 400}, now_);
    account.spend(250, now_);
    EXPECT_FALSE(admits(account, Priority::kLow));
    EXPECT_TRUE(admits(account, Priority::kHigh));
    now_ += milliseconds(500);
    EXPECT_TRUE(admits(account, Priority::kLow));
}

TEST_F(AccountTest, LowPriorityGetsWhatHighPriorityLeaves) {
    Account account({.units_per_second = 400}, now_);
    double high = 0;
    double low = 0;
    for (int ms = 0; ms < 30000; ++ms, now_ += milliseconds(1)) {
        if (ms % 4 == 0 && admits(account)) {  // 250 per second
            account.spend(1, now_);
            high += 1;
        }
        while (admits(account, Priority::kLow)) {
            account.spend(1, now_);
            low += 1;
        }
    }
    EXPECT_EQ(high, 7500);
    EXPECT_NEAR(low, 4500, 250);
}

TEST_F(AccountTest, TellsThoseItRefusesToComeBackOneByOne) {
    Account account({.units_per_second = 1000}, now_);
    for (int i = 0; i < 110; ++i)
        account.spend(10, now_);
    std::vector<milliseconds> waits;
    for (int i = 0; i < 5; ++i)
        waits.push_back(account.refusal(Priority::kHigh, now_).value());
    EXPECT_EQ(waits.front(), milliseconds(100));
    for (std::size_t i = 1; i < waits.size(); ++i) {
        EXPECT_NEAR(static_cast<double>((waits[i] - waits[i - 1]).count()), 10, 1);
    }
    for (int i = 0; i < 10000; ++i)
        EXPECT_LE(account.refusal(Priority::kHigh, now_).value(), seconds(5));
}

TEST_F(AccountTest, ChangesItsRate) {
    Account account({.units_per_second = 400}, now_);
    account.spend(500, now_);
    EXPECT_FALSE(admits(account));
    account.set_rate({.units_per_second = 10000}, now_);
    EXPECT_TRUE(admits(account));
    account.set_rate({.units_per_second = 400}, now_);
    EXPECT_NEAR(spend_for(account, milliseconds(1), 1), 400, 2);
    account.set_rate({}, now_);
    account.spend(1e9, now_);
    EXPECT_TRUE(admits(account));
    EXPECT_TRUE(admits(account, Priority::kLow));
    account.set_rate({.units_per_second = 400}, now_);
    EXPECT_NEAR(spend_for(account, milliseconds(1), 1), 400, 2);
}

TEST_F(AccountTest, RemembersTheLastMinute) {
    Account account({}, now_);
    account.spend(10, now_);
    now_ += milliseconds(1);
    EXPECT_TRUE(admits(account));
    now_ += seconds(1);
    EXPECT_EQ(account.usage(now_).last_second, 10);
    now_ += seconds(30);
    EXPECT_EQ(account.usage(now_).last_second, 0);
    EXPECT_EQ(account.usage(now_).busiest_second, 10);
    now_ += seconds(30);
    EXPECT_EQ(account.usage(now_).busiest_second, 0);
    EXPECT_EQ(account.usage(now_).spent.units, 10);
    EXPECT_EQ(account.usage(now_).spent.requests, 1U);
}

TEST_F(AccountTest, CountsEverythingThatThreadsSpend) {
    constexpr int kThreads = 4;
    constexpr int kRequests = 20000;
    Account account({.units_per_second = 1000}, now_);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            Account::TimePoint time = now_;
            for (int k = 0; k < kRequests; ++k, time += std::chrono::microseconds(100)) {
                static_cast<void>(account.refusal(Priority::kHigh, time));
                account.spend(1.25, time);
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    now_ += seconds(2);
    const Account::Usage usage = account.usage(now_);
    EXPECT_EQ(usage.spent.units, 1.25 * kThreads * kRequests);
    EXPECT_EQ(usage.spent.requests, std::uint64_t{kThreads} * kRequests);
    // A full balance, two seconds, and what was spent.
    EXPECT_NEAR(usage.balance, 3000 - usage.spent.units, 1000);
}

}  // namespace
}  // namespace orrery::throughput
