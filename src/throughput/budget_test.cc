#include "throughput/budget.h"

#include <gtest/gtest.h>

namespace orrery::throughput {
namespace {

class BudgetTest : public testing::Test {
protected:
    Budget::TimePoint now_{std::chrono::hours(1)};
};

TEST_F(BudgetTest, GivesABucketItsShare) {
    Budget budget({.rate = {.units_per_second = 1000},
                   .buckets = {{.id = 1, .percent = 10}, {.id = 2, .percent = 50}}},
                  now_);
    budget.spend({.bucket = 1}, 101, now_);
    const auto refusal = budget.refusal({.bucket = 1}, now_);
    ASSERT_TRUE(refusal);
    EXPECT_TRUE(refusal->of_bucket);
    EXPECT_FALSE(budget.refusal({.bucket = 2}, now_));
    EXPECT_FALSE(budget.refusal({}, now_));
    // Buckets take from the whole.
    budget.spend({}, 900, now_);
    const auto whole = budget.refusal({.bucket = 2}, now_);
    ASSERT_TRUE(whole);
    EXPECT_FALSE(whole->of_bucket);
}

TEST_F(BudgetTest, PutsRequestsWithoutABucketIntoTheDefault) {
    Budget budget({.rate = {.units_per_second = 1000},
                   .buckets = {{.id = 3, .percent = 10, .is_default = true}}},
                  now_);
    budget.spend({}, 150, now_);
    EXPECT_TRUE(budget.refusal({}, now_));
    EXPECT_TRUE(budget.refusal({.bucket = 3}, now_));
    EXPECT_FALSE(budget.refusal({.bucket = 4}, now_));  // not configured: uses the whole
}

TEST_F(BudgetTest, KeepsTheDebtOfABucketThatChanges) {
    Budget budget({.rate = {.units_per_second = 1000}, .buckets = {{.id = 1, .percent = 10}}},
                  now_);
    budget.spend({.bucket = 1}, 500, now_);
    budget.configure({.rate = {.units_per_second = 1000}, .buckets = {{.id = 1, .percent = 20}}},
                     now_);
    EXPECT_TRUE(budget.refusal({.bucket = 1}, now_));
    budget.configure({.rate = {.units_per_second = 1000}, .buckets = {}}, now_);
    EXPECT_FALSE(budget.refusal({.bucket = 1}, now_));
}

}  // namespace
}  // namespace orrery::throughput
