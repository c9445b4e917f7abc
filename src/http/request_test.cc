#include "http/request.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace orrery::http {
namespace {

TEST(BodyBudget, GrantsUpToTheLimit) {
    BodyBudget budget(100);
    EXPECT_TRUE(budget.take(60));
    EXPECT_FALSE(budget.take(41));
    EXPECT_FALSE(budget.take(~std::size_t{0}));
    EXPECT_TRUE(budget.take(40));
    EXPECT_FALSE(budget.take(1));
    budget.give_back(60);
    EXPECT_TRUE(budget.take(1));
    EXPECT_EQ(budget.taken(), 41U);
}

TEST(RequestBody, TakesFromTheBudgetAsItGrows) {
    BodyBudget budget(1'000'000);
    std::optional<Request> request(std::in_place, budget);
    request->append_body(std::string(4096, 'x'));
    EXPECT_EQ(budget.taken(), 0U) << "small bodies are not counted";
    for (int i = 0; i < 100; ++i) {
        request->append_body(std::string(1000, 'x'));
        ASSERT_EQ(budget.taken(), request->body.capacity());
    }
    EXPECT_EQ(request->body.size(), 104'096U);
    request.reset();
    EXPECT_EQ(budget.taken(), 0U);
}

TEST(RequestBody, IsDroppedWhenTheBudgetIsExhausted) {
    BodyBudget budget(100'000);
    Request other(budget);
    other.append_body(std::string(60'000, 'x'));
    Request request(budget);
    request.append_body(std::string(30'000, 'x'));
    EXPECT_FALSE(request.body_over_budget);
    request.append_body(std::string(30'000, 'x'));
    EXPECT_TRUE(request.body_over_budget);
    EXPECT_TRUE(request.body.empty());
    EXPECT_EQ(budget.taken(), other.body.capacity());
    other.clear();
    request.clear();
    EXPECT_FALSE(request.body_over_budget);
    request.append_body(std::string(60'000, 'x'));
    EXPECT_EQ(request.body.size(), 60'000U);
}

// A connection kept open must not hold the memory of its largest body.
TEST(RequestBody, FreesLargeBodiesOnClearAndSmallOnesOnRelease) {
    BodyBudget budget(1'000'000);
    Request request(budget);
    request.append_body(std::string(500'000, 'x'));
    request.clear();
    EXPECT_LT(request.body.capacity(), 100U);
    EXPECT_EQ(budget.taken(), 0U);
    request.append_body(std::string(1000, 'x'));
    request.clear();
    EXPECT_GE(request.body.capacity(), 1000U);
    request.release();
    EXPECT_LT(request.body.capacity(), 100U);
}

// The new owner holds the memory until the request ends.
TEST(RequestBody, StaysCountedWhenMovedOut) {
    BodyBudget budget(1'000'000);
    Request request(budget);
    request.append_body(std::string(500'000, 'x'));
    const std::string moved = std::move(request.body);
    EXPECT_EQ(budget.taken(), moved.capacity());
    request.clear();
    EXPECT_EQ(budget.taken(), 0U);
}

}  // namespace
}  // namespace orrery::http
