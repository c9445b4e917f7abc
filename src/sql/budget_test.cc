#include "sql/budget.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "sql/arena.h"

namespace orrery::sql {
namespace budget_test {

using std::chrono::milliseconds;
using testing::HasSubstr;

class BudgetTest : public testing::Test {
protected:
    Budget::Limits limits() {
        return {.now = [this] {
            ++looks_;
            return now_;
        }};
    }

    // Counts until the clock has been read.
    bool look(Budget& budget) {
        const int before = looks_;
        while (looks_ == before && budget.count()) {
        }
        return !budget.is_stopped();
    }

    Budget::TimePoint now_{std::chrono::hours(1)};
    int looks_ = 0;
};

TEST_F(BudgetTest, IsUnlimitedByDefault) {
    Budget budget;
    budget.take(std::size_t{1} << 60);
    for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(budget.count(Budget::kUnlimited));
        EXPECT_TRUE(budget.count_call());
    }
    EXPECT_TRUE(budget.has_room(std::size_t{1} << 60));
    EXPECT_TRUE(budget.status());
}

TEST_F(BudgetTest, LooksAtTheClockNowAndThen) {
    Budget::Limits given = limits();
    given.page_time = milliseconds(10);
    Budget budget(given);
    EXPECT_EQ(looks_, 1);
    EXPECT_TRUE(budget.count(Budget::kUnitsPerLook));
    EXPECT_EQ(looks_, 1);
    EXPECT_TRUE(budget.count());
    EXPECT_EQ(looks_, 2);
    EXPECT_TRUE(budget.count(100 * Budget::kUnitsPerLook)) << "one look is enough";
    EXPECT_EQ(looks_, 3);
    EXPECT_TRUE(budget.count_call());
    EXPECT_TRUE(budget.count());
    EXPECT_EQ(looks_, 4);
}

TEST_F(BudgetTest, EndsAPageThatHasProgressed) {
    Budget::Limits given = limits();
    given.page_time = milliseconds(10);
    given.query_time = milliseconds(20);
    Budget budget(given);
    budget.progressed();
    now_ += milliseconds(10);
    EXPECT_TRUE(look(budget)) << "progress counts only where the page can be continued";
    budget.let_page_end(true);
    EXPECT_TRUE(look(budget));
    EXPECT_TRUE(budget.status());
    budget.progressed();
    EXPECT_TRUE(budget.page_ended());
    EXPECT_FALSE(budget.count());
    EXPECT_FALSE(budget.status());
    now_ += milliseconds(10);
    EXPECT_FALSE(budget.count(Budget::kUnitsPerLook));
    EXPECT_TRUE(budget.page_ended()) << "the first reason stands";
}

TEST_F(BudgetTest, EndsAPageAtTheFirstLookAfterItsTime) {
    Budget::Limits given = limits();
    given.page_time = milliseconds(10);
    Budget budget(given);
    budget.let_page_end(true);
    budget.progressed();
    now_ += milliseconds(9);
    EXPECT_TRUE(look(budget));
    now_ += milliseconds(1);
    EXPECT_FALSE(look(budget));
    EXPECT_TRUE(budget.page_ended());
}

TEST_F(BudgetTest, LetsAPageGoOnThatHasEnded) {
    Budget::Limits given = limits();
    given.page_time = milliseconds(10);
    given.query_time = milliseconds(20);
    Budget budget(given);
    budget.let_page_end(true);
    budget.progressed();
    now_ += milliseconds(10);
    EXPECT_FALSE(look(budget));
    budget.let_page_end(false);
    EXPECT_TRUE(look(budget));
    EXPECT_TRUE(budget.status());
    now_ += milliseconds(10);
    EXPECT_FALSE(look(budget));
    budget.let_page_end(false);
    EXPECT_FALSE(look(budget));
}

TEST_F(BudgetTest, DoesNotEndAPageWithinAtomicWork) {
    Budget::Limits given = limits();
    given.page_time = milliseconds(10);
    given.query_time = milliseconds(20);
    Budget budget(given);
    budget.let_page_end(true);
    budget.progressed();
    {
        const Budget::Atomic atomic(budget);
        now_ += milliseconds(15);
        EXPECT_TRUE(look(budget));
        budget.progressed();
        EXPECT_TRUE(budget.count());
    }
    EXPECT_TRUE(budget.has_progressed());
    budget.progressed();
    EXPECT_TRUE(budget.page_ended());
}

TEST_F(BudgetTest, FailsAQueryWithoutProgress) {
    Budget::Limits given = limits();
    given.page_time = milliseconds(10);
    given.query_time = milliseconds(20);
    Budget budget(given);
    budget.let_page_end(true);
    now_ += milliseconds(19);
    EXPECT_TRUE(look(budget));
    now_ += milliseconds(1);
    EXPECT_FALSE(look(budget));
    EXPECT_FALSE(budget.page_ended());
    EXPECT_EQ(budget.status().error().code(), ErrorCode::kTimeout);
}

TEST_F(BudgetTest, LimitsWork) {
    Budget budget({.work_max = 10'000});
    EXPECT_TRUE(budget.count(5'000));
    EXPECT_TRUE(budget.count(4'999));
    EXPECT_TRUE(budget.count());
    EXPECT_FALSE(budget.count());
    EXPECT_EQ(budget.status().error().code(), ErrorCode::kBadRequest);
    EXPECT_THAT(budget.status().error().message(), HasSubstr("limit of 10000 steps"));
    Budget other({.work_max = 10});
    EXPECT_FALSE(other.count(11));
}

TEST_F(BudgetTest, LimitsMemory) {
    Budget budget({.memory_max = 1'000'000});
    EXPECT_TRUE(budget.has_room(1'000'000));
    budget.take(600'000);
    budget.take(400'000);
    budget.give(300'000);
    budget.take(300'000);
    EXPECT_TRUE(budget.count());
    budget.take(1);
    EXPECT_FALSE(budget.count());
    EXPECT_EQ(budget.status().error().code(), ErrorCode::kBadRequest);
    EXPECT_THAT(budget.status().error().message(), HasSubstr("maximum of 1000000 bytes"));
    Budget other({.memory_max = 100});
    EXPECT_FALSE(other.has_room(101));
    EXPECT_FALSE(other.count());
}

TEST_F(BudgetTest, SharesMemory) {
    constexpr std::size_t kMegabyte = 1 << 20;
    MemoryPool pool(2 * kMegabyte);
    {
        Budget first({.memory_max = 8 * kMegabyte, .pool = &pool});
        EXPECT_EQ(pool.used(), 0U);
        first.take(1);
        EXPECT_GE(pool.used(), 1U);
        EXPECT_LT(pool.used(), kMegabyte);
        first.take(kMegabyte);
        EXPECT_GE(pool.used(), kMegabyte);
        Budget second({.memory_max = 8 * kMegabyte, .pool = &pool});
        second.take(kMegabyte);
        EXPECT_FALSE(second.count());
        EXPECT_EQ(second.status().error().code(), ErrorCode::kThrottled);
        EXPECT_TRUE(first.count());
    }
    EXPECT_EQ(pool.used(), 0U);
}

TEST_F(BudgetTest, CountsTheMemoryOfArenas) {
    constexpr std::size_t kMegabyte = 1 << 20;
    MemoryPool pool(16 * kMegabyte);
    Budget budget({.memory_max = 4 * kMegabyte, .pool = &pool});
    {
        Arena arena(budget);
        arena.array<char>(3 * kMegabyte);
        EXPECT_FALSE(budget.has_room(kMegabyte + 1));
    }
    Budget other({.memory_max = 4 * kMegabyte, .pool = &pool});
    Arena arena(other);
    for (int i = 0; i < 10; ++i) {
        arena.array<char>(3 * kMegabyte);
        arena.charge(kMegabyte / 2);
        arena.reset();
    }
    EXPECT_TRUE(other.has_room(3 * kMegabyte));
    arena.array<char>(3 * kMegabyte);
    arena.detach();
    EXPECT_TRUE(other.has_room(4 * kMegabyte));
    EXPECT_TRUE(other.count());
}

TEST_F(BudgetTest, ReusesWhatIsRewound) {
    Budget budget({.memory_max = 1 << 20});
    Arena arena(budget);
    arena.array<char>(100);
    const Arena::Mark mark = arena.mark();
    for (int i = 0; i < 1000; ++i) {
        arena.array<char>(10'000);
        arena.array<char>(100'000);
        arena.rewind(mark);
    }
    EXPECT_EQ(arena.used(), 100U);
    EXPECT_TRUE(budget.count());
}

class SlowPacer : public Pacer {
public:
    explicit SlowPacer(Budget::TimePoint& now) : now_(now) {}
    bool slice_used() override {
        ++slices;
        now_ += waits;
        return !gives_up;
    }
    int slices = 0;
    bool gives_up = false;
    milliseconds waits{0};

private:
    Budget::TimePoint& now_;
};

TEST_F(BudgetTest, TellsThePacer) {
    SlowPacer pacer(now_);
    Budget::Limits given = limits();
    given.page_time = milliseconds(1000);
    given.pacer = &pacer;
    Budget budget(given);
    now_ += Budget::kSlice - milliseconds(1);
    EXPECT_TRUE(look(budget));
    EXPECT_EQ(pacer.slices, 0);
    now_ += milliseconds(1);
    EXPECT_TRUE(look(budget));
    EXPECT_EQ(pacer.slices, 1);
    pacer.waits = milliseconds(500);
    now_ += Budget::kSlice;
    EXPECT_TRUE(look(budget));
    EXPECT_EQ(pacer.slices, 2);
    EXPECT_TRUE(look(budget));
    EXPECT_EQ(pacer.slices, 2) << "the time it waited is not a slice";
    now_ += Budget::kSlice;
    budget.let_page_end(true);
    budget.progressed();
    EXPECT_FALSE(look(budget)) << "the time it waited counts for the deadline";
    EXPECT_TRUE(budget.page_ended());
}

TEST_F(BudgetTest, GivesUpWhenThePacerSaysSo) {
    SlowPacer pacer(now_);
    pacer.gives_up = true;
    Budget::Limits given = limits();
    given.pacer = &pacer;
    Budget budget(given);
    EXPECT_TRUE(look(budget));
    now_ += Budget::kSlice;
    EXPECT_FALSE(look(budget));
    EXPECT_EQ(budget.status().error().code(), ErrorCode::kThrottled);
}

}  // namespace budget_test
}  // namespace orrery::sql
