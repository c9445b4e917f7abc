#include "auth/failed_logins.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "auth/authorization_header.h"
#include "auth/bearer_token.h"

namespace orrery::auth {
namespace failed_logins_test {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

class FailedLoginsTest : public testing::Test {
protected:
    void SetUp() override { testing::internal::CaptureStderr(); }
    void TearDown() override { log(); }

    milliseconds fail(const std::string& address = "192.0.2.1",
                      LoginFailure reason = LoginFailure::kSignature) {
        return logins_.note({.activity_id = "a", .address = address, .reason = reason}, now_);
    }
    // Returns the last delay.
    milliseconds fail_often(int count, const std::string& address = "192.0.2.1") {
        milliseconds last{};
        for (int i = 0; i < count; ++i) {
            last = fail(address);
        }
        return last;
    }
    const std::string& log() {
        if (!log_taken_) log_ = testing::internal::GetCapturedStderr();
        log_taken_ = true;
        return log_;
    }

    FailedLogins logins_;
    FailedLogins::Time now_ = FailedLogins::Time() + std::chrono::hours(1);

private:
    std::string log_;
    bool log_taken_ = false;
};

TEST_F(FailedLoginsTest, ManyAreFree) {
    EXPECT_EQ(fail_often(1000), milliseconds(0));
    EXPECT_GT(fail(), milliseconds(0));
    EXPECT_EQ(logins_.stats().delayed, 1U);
}

TEST_F(FailedLoginsTest, TheDelayGrowsExponentiallyUpToAMaximum) {
    fail_often(1000);
    EXPECT_EQ(fail_often(20), milliseconds(40));
    EXPECT_EQ(fail_often(20), milliseconds(80));
    EXPECT_EQ(fail_often(20), milliseconds(160));
    EXPECT_EQ(fail_often(1'000'000), milliseconds(2000));
}

TEST_F(FailedLoginsTest, AClientThatStopsIsFreeAgainSoon) {
    EXPECT_EQ(fail_often(100'000), milliseconds(2000));
    now_ += seconds(14);
    EXPECT_EQ(fail(), milliseconds(0));
    EXPECT_GT(fail_often(10), milliseconds(0)) << "but it has no credit left";
    now_ += seconds(200);
    EXPECT_EQ(fail_often(1000), milliseconds(0));
}

TEST_F(FailedLoginsTest, AFewEachSecondAreAlwaysFree) {
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(fail_often(10), milliseconds(0));
        now_ += seconds(1);
    }
}

TEST_F(FailedLoginsTest, OtherClientsAreNotConcerned) {
    fail_often(2000);
    EXPECT_EQ(fail("192.0.2.2"), milliseconds(0));
    EXPECT_GT(fail("::ffff:192.0.2.1"), milliseconds(0)) << "the same one";
    fail_often(2000, "2001:db8:1:2::1");
    EXPECT_GT(fail("2001:db8:1:2:3:4:5:6"), milliseconds(0)) << "the same network";
    EXPECT_EQ(fail("2001:db8:1:3::1"), milliseconds(0));
}

TEST_F(FailedLoginsTest, GenuineCredentialsAreNotHeldBack) {
    fail_often(2000);
    for (const LoginFailure reason :
         {LoginFailure::kMissing, LoginFailure::kNotNow, LoginFailure::kNotAccepted}) {
        EXPECT_EQ(fail("192.0.2.1", reason), milliseconds(0)) << name_of(reason);
    }
    for (const LoginFailure reason :
         {LoginFailure::kMalformed, LoginFailure::kSignature, LoginFailure::kUnknownKey}) {
        EXPECT_GT(fail("192.0.2.1", reason), milliseconds(0)) << name_of(reason);
    }
}

TEST_F(FailedLoginsTest, RemembersOnlySoManyClients) {
    const auto address = [](std::size_t i) {
        return "10." + std::to_string(i >> 16) + "." + std::to_string(i >> 8 & 255) + "." +
               std::to_string(i & 255);
    };
    for (std::size_t i = 0; i < FailedLogins::kClientsMax; ++i) {
        fail(address(i));
    }
    EXPECT_EQ(fail_often(1000, "192.0.2.1"), milliseconds(0));
    EXPECT_GT(fail("192.0.2.2"), milliseconds(0)) << "those that do not fit count as one";
    // Once others are forgotten, there is room again.
    now_ += seconds(1);
    EXPECT_EQ(fail_often(100, "192.0.2.2"), milliseconds(0));
    EXPECT_EQ(fail_often(900, "192.0.2.3"), milliseconds(0));
}

TEST_F(FailedLoginsTest, CountsByReason) {
    fail("192.0.2.1", LoginFailure::kMissing);
    fail("192.0.2.1", LoginFailure::kMissing);
    fail("192.0.2.1", LoginFailure::kUnknownKey);
    const auto counts = logins_.stats().by_reason;
    EXPECT_THAT(counts, testing::ElementsAre(2, 0, 0, 1, 0, 0));
}

TEST_F(FailedLoginsTest, LogsAFewOfMany) {
    fail_often(100);
    now_ += seconds(1);
    fail();
    EXPECT_EQ(std::count(log().begin(), log().end(), '\n'), 6) << log();
    EXPECT_THAT(log(),
                HasSubstr("event=login_failed activity_id=a client=192.0.2.1 reason=signature "
                          "delay_ms=0"));
    EXPECT_THAT(log(), HasSubstr("left_out=95"));
}

TEST_F(FailedLoginsTest, DoesNotLogRequestsWithoutCredential) {
    fail("192.0.2.1", LoginFailure::kMissing);
    EXPECT_THAT(log(), Not(HasSubstr("login_failed")));
}

TEST(LoginFailure, FollowsFromTheRefusal) {
    const auto reason = [](ErrorCode code, std::uint32_t sub_status) {
        return name_of(failure_of(Error(code, "", sub_status)));
    };
    EXPECT_EQ(reason(ErrorCode::kForbidden, 0), "not_now");
    EXPECT_EQ(reason(ErrorCode::kUnauthorized, 0), "signature");
    EXPECT_EQ(reason(ErrorCode::kUnauthorized, kHeaderMissing), "missing");
    EXPECT_EQ(reason(ErrorCode::kUnauthorized, kHeaderMalformed), "malformed");
    EXPECT_EQ(reason(ErrorCode::kUnauthorized, bearer::kInvalidFormat), "malformed");
    EXPECT_EQ(reason(ErrorCode::kUnauthorized, bearer::kInvalidSignature), "signature");
    EXPECT_EQ(reason(ErrorCode::kUnauthorized, bearer::kInvalidSigningKey), "unknown_key");
    EXPECT_EQ(reason(ErrorCode::kUnauthorized, bearer::kExpired), "not_now");
    EXPECT_EQ(reason(ErrorCode::kUnauthorized, bearer::kInvalidAudience), "not_accepted");
}

}  // namespace failed_logins_test
}  // namespace orrery::auth
