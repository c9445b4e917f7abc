#include "tools/export/pages_ahead.h"

#include <atomic>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace orrery::tools {
namespace pages_ahead_test {

PagesAhead::Fetched page_at(int number) {
    return {.page = std::optional(client::Page{}), .position = std::to_string(number)};
}

TEST(PagesAheadTest, ReturnsPagesInOrderUntilTheEnd) {
    int fetched = 0;
    PagesAhead pages([&] {
        if (fetched == 3)
            return PagesAhead::Fetched{.page = std::optional<client::Page>(), .position = "end"};
        return page_at(fetched++);
    });
    for (const char* const position : {"0", "1", "2"}) {
        const PagesAhead::Fetched next = pages.next();
        EXPECT_TRUE(next.page && *next.page);
        EXPECT_EQ(next.position, position);
    }
    const PagesAhead::Fetched end = pages.next();
    EXPECT_TRUE(end.page && !*end.page);
    EXPECT_EQ(end.position, "end");
}

TEST(PagesAheadTest, ReadsNoMoreAfterAFailure) {
    std::atomic<int> fetched = 0;
    {
        PagesAhead pages([&] {
            ++fetched;
            return PagesAhead::Fetched{.page = Error(ErrorCode::kTimeout, "lost"), .position = ""};
        });
        EXPECT_FALSE(pages.next().page);
    }
    EXPECT_EQ(fetched, 1);
}

// One page waits to be taken, and the next one to be put in its place.
TEST(PagesAheadTest, KeepsNoMoreThanTwoPages) {
    std::atomic<int> fetched = 0;
    const auto wait_until_fetched = [&](int count) {
        for (int now = fetched; now < count; now = fetched)
            fetched.wait(now);
    };
    {
        PagesAhead pages([&] {
            auto page = page_at(fetched++);
            fetched.notify_all();
            return page;
        });
        wait_until_fetched(2);
        pages.next();
        wait_until_fetched(3);
    }
    EXPECT_EQ(fetched, 3);
}

}  // namespace pages_ahead_test
}  // namespace orrery::tools
