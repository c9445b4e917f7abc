#include "script/block_list.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

namespace orrery::script {
namespace block_list_test {

using testing::HasSubstr;

TEST(BlockListTest, BlocksAfterSixExpensiveExecutions) {
    BlockList blocked(kProcedureRule);
    for (int i = 0; i < 6; ++i) {
        EXPECT_TRUE(blocked.check("rid/etag", "p"));
        blocked.record("rid/etag", std::chrono::milliseconds(4000));
        blocked.record("rid/etag", std::chrono::milliseconds(100));
    }
    const Status status = blocked.check("rid/etag", "p");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code(), ErrorCode::kForbidden);
    EXPECT_THAT(status.error().message(),
                HasSubstr("is blocked for execution because it has violated its allowed resource "
                          "limit several times."));
    EXPECT_TRUE(blocked.check("rid/etag2", "p"));
}

TEST(BlockListTest, BlocksAUdfAfterOneStrike) {
    BlockList blocked(kUdfRule);
    blocked.record("u", std::chrono::milliseconds(5000));
    EXPECT_THAT(blocked.check("u", "u").error().message(), HasSubstr("allowed resources limit"));
}

TEST(BlockListTest, EvictsTheOldest) {
    BlockList blocked(kUdfRule);
    for (int i = 0; i < 5000; ++i) {
        blocked.record(std::to_string(i), std::chrono::milliseconds(5000));
    }
    EXPECT_TRUE(blocked.check("0", "u"));
    EXPECT_FALSE(blocked.check("4999", "u"));
}

}  // namespace block_list_test
}  // namespace orrery::script
