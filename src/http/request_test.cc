#include "http/request.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace orrery::http {
namespace request_test {

TEST(MemoryBudget, GrantsUpToTheLimit) {
    MemoryBudget budget(100);
    EXPECT_TRUE(budget.take(60));
    EXPECT_FALSE(budget.take(41));
    EXPECT_FALSE(budget.take(~std::size_t{0}));
    EXPECT_TRUE(budget.take(40));
    EXPECT_FALSE(budget.take(1));
    budget.give_back(60);
    EXPECT_TRUE(budget.take(1));
    EXPECT_EQ(budget.taken(), 41U);
}

TEST(MemoryBudget, CountsWhatIsInUseAnyway) {
    MemoryBudget budget(100);
    {
        MemoryHold hold(budget);
        EXPECT_TRUE(hold.empty());
        EXPECT_TRUE(hold.grow_to(60));
        EXPECT_TRUE(hold.grow_to(50));
        EXPECT_EQ(budget.taken(), 60U);
        EXPECT_FALSE(hold.grow_to(101));
        EXPECT_EQ(budget.taken(), 60U);
        EXPECT_EQ(budget.refusals(), 1U);
        hold.add(41);
        EXPECT_TRUE(budget.exceeded());
    }
    EXPECT_EQ(budget.taken(), 0U);
    EXPECT_FALSE(budget.exceeded());
}

constexpr std::size_t kTotalMax = 1'000'000;

bool append(Request& request, std::size_t bytes, std::size_t total_max = kTotalMax) {
    if (!request.reserve_body(bytes, total_max)) return false;
    request.append_body(std::string(bytes, 'x'));
    return true;
}

TEST(RequestBody, TakesFromTheBudgetAsItGrows) {
    MemoryBudget budget(kTotalMax);
    std::optional<Request> request(std::in_place, budget);
    ASSERT_TRUE(append(*request, 4096));
    EXPECT_EQ(budget.taken(), 0U) << "small bodies are not counted";
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(append(*request, 1000));
        ASSERT_EQ(budget.taken(), request->body.capacity());
    }
    EXPECT_EQ(request->body.size(), 104'096U);
    request.reset();
    EXPECT_EQ(budget.taken(), 0U);
}

TEST(RequestBody, TakesNoMoreThanTwiceWhatArrivedOrWhatWasDeclared) {
    MemoryBudget budget(kTotalMax);
    Request request(budget);
    for (int i = 1; i <= 150; ++i) {
        ASSERT_TRUE(append(request, 1000, 150'000));
        ASSERT_LE(budget.taken(), 2U * 1000 * static_cast<unsigned>(i));
        ASSERT_LE(budget.taken(), 150'000U);
    }
}

TEST(RequestBody, IsRefusedWhenTheBudgetIsExhausted) {
    MemoryBudget budget(100'000);
    Request other(budget);
    ASSERT_TRUE(append(other, 60'000));
    Request request(budget);
    ASSERT_TRUE(append(request, 30'000));
    EXPECT_FALSE(append(request, 30'000));
    EXPECT_EQ(budget.taken(), 90'000U);
    other.clear();
    EXPECT_TRUE(append(request, 30'000));
    EXPECT_EQ(request.body.size(), 60'000U);
}

TEST(RequestBody, IsIgnoredOnceDiscarded) {
    MemoryBudget budget(100'000);
    Request request(budget);
    ASSERT_TRUE(append(request, 60'000));
    request.discard_body();
    EXPECT_EQ(budget.taken(), 0U);
    EXPECT_TRUE(append(request, 200'000));
    EXPECT_EQ(request.body.size(), 0U);
    EXPECT_EQ(budget.taken(), 0U);
    request.clear();
    EXPECT_TRUE(append(request, 50'000));
    EXPECT_EQ(request.body.size(), 50'000U);
}

// A connection kept open must not hold the memory of its largest body.
TEST(RequestBody, FreesLargeBodiesOnClearAndSmallOnesOnRelease) {
    MemoryBudget budget(1'000'000);
    Request request(budget);
    ASSERT_TRUE(append(request, 500'000));
    request.clear();
    EXPECT_LT(request.body.capacity(), 100U);
    EXPECT_EQ(budget.taken(), 0U);
    ASSERT_TRUE(append(request, 1000));
    request.clear();
    EXPECT_GE(request.body.capacity(), 1000U);
    request.release();
    EXPECT_LT(request.body.capacity(), 100U);
}

// The new owner holds the memory until the request ends.
TEST(RequestBody, StaysCountedWhenMovedOut) {
    MemoryBudget budget(1'000'000);
    Request request(budget);
    ASSERT_TRUE(append(request, 500'000));
    const std::string moved = std::move(request.body);
    EXPECT_EQ(budget.taken(), moved.capacity());
    request.clear();
    EXPECT_EQ(budget.taken(), 0U);
}

}  // namespace request_test
}  // namespace orrery::http
