#include "tools/import/window.h"

#include <gmock/gmock.h>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace orrery::tools {
namespace window_test {

using testing::ElementsAre;
using testing::IsEmpty;

class WindowTest : public testing::Test {
protected:
    Window::Ticket enter(std::uint64_t record, std::size_t bytes = 10) {
        return window_.enter({.after = {.source = 0, .records = record}}, bytes);
    }

    std::vector<std::uint64_t> reported_;
    Window window_{100,
                   [this](const Settled& settled) { reported_.push_back(settled.after.records); }};
};

TEST_F(WindowTest, ReportsInOrder) {
    const auto first = enter(1);
    const auto second = enter(2);
    const auto third = enter(3);
    window_.settle(third, {});
    window_.settle(second, {});
    EXPECT_THAT(reported_, IsEmpty());
    window_.settle(first, {});
    EXPECT_THAT(reported_, ElementsAre(1, 2, 3));
    window_.settle(enter(4), {});
    EXPECT_THAT(reported_, ElementsAre(1, 2, 3, 4));
}

TEST_F(WindowTest, HasRoomUntilTheOldestIsSettled) {
    EXPECT_TRUE(window_.has_room(1000));  // or it would never be sent
    const auto first = enter(1, 60);
    const auto second = enter(2, 40);
    EXPECT_FALSE(window_.has_room(1));
    window_.settle(second, {});
    EXPECT_FALSE(window_.has_room(1));
    EXPECT_FALSE(window_.wait_for_room(1, std::chrono::milliseconds(1)));
    std::thread other([&] { window_.settle(first, {}); });
    EXPECT_TRUE(window_.wait_for_room(100, std::chrono::seconds(60)));
    other.join();
}

}  // namespace window_test
}  // namespace orrery::tools
