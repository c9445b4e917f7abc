#include "base/guarded.h"

#include <new>

#include <gtest/gtest.h>

namespace orrery {
namespace guarded_test {

TEST(RunGuarded, ReturnsTheStatusOfTheWork) {
    EXPECT_TRUE(run_guarded("work", [] { return Status(); }));
    const Status refused =
        run_guarded("work", []() -> Status { return Error(ErrorCode::kConflict, "taken"); });
    EXPECT_EQ(refused.error().code(), ErrorCode::kConflict);
}

TEST(RunGuarded, TurnsExceptionsIntoInternalErrors) {
    const Status no_memory = run_guarded("work", []() -> Status { throw std::bad_alloc(); });
    EXPECT_EQ(no_memory.error().code(), ErrorCode::kInternal);
    const Status unknown = run_guarded("work", []() -> Status { throw 5; });  // NOLINT
    EXPECT_EQ(unknown.error().code(), ErrorCode::kInternal);
}

}  // namespace guarded_test
}  // namespace orrery
