#include "cli/interrupt.h"

#include <array>
#include <signal.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace orrery::cli {
namespace interrupt_test {

class InterruptTest : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(::pipe(input_.data()), 0); }
    void TearDown() override {
        ::close(input_[0]);
        ::close(input_[1]);
    }

    Interrupt interrupt_{SecondSignal::kIsNoted};
    std::array<int, 2> input_{};
};

TEST_F(InterruptTest, NotesAnyNumber) {
    EXPECT_FALSE(interrupt_.flag());
    ::raise(SIGINT);
    ::raise(SIGINT);
    EXPECT_TRUE(interrupt_.flag());
    EXPECT_EQ(interrupt_.ending(), 0);
    interrupt_.forget();
    EXPECT_FALSE(interrupt_.flag());
    ::raise(SIGINT);
    EXPECT_TRUE(interrupt_.flag());
}

TEST_F(InterruptTest, RemembersThatTheProcessIsToEnd) {
    ::raise(SIGTERM);
    interrupt_.forget();
    EXPECT_TRUE(interrupt_.flag());
    EXPECT_EQ(interrupt_.ending(), SIGTERM);
}

TEST_F(InterruptTest, WaitsForInput) {
    ASSERT_EQ(::write(input_[1], "x", 1), 1);
    EXPECT_TRUE(interrupt_.wait_for_input(input_[0]));
}

TEST_F(InterruptTest, EndsAWaitInAnyThread) {
    ::raise(SIGINT);
    EXPECT_FALSE(interrupt_.wait_for_input(input_[0]));
    interrupt_.forget();
    // Handled by another thread than the one that waits.
    std::thread other([] { ::pthread_kill(::pthread_self(), SIGINT); });
    EXPECT_FALSE(interrupt_.wait_for_input(input_[0]));
    other.join();
}

}  // namespace interrupt_test
}  // namespace orrery::cli
