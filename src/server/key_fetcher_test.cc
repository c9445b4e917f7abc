#include "server/key_fetcher.h"

#include <atomic>
#include <deque>
#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace orrery::server {
namespace key_fetcher_test {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

class FetchScheduleTest : public testing::Test {
protected:
    // Whether a fetch is due; if so, it takes place.
    bool fetches(bool succeeds = true) {
        if (now_ < schedule_.due()) return false;
        schedule_.fetched(now_, succeeds);
        return true;
    }

    FetchSchedule schedule_;
    FetchSchedule::Time now_ = FetchSchedule::Time() + minutes(1000);
};

TEST_F(FetchScheduleTest, FetchesAtTheStartAndEveryHour) {
    EXPECT_TRUE(fetches());
    EXPECT_FALSE(fetches());
    now_ += minutes(60) - seconds(1);
    EXPECT_FALSE(fetches());
    now_ += seconds(1);
    EXPECT_TRUE(fetches());
    EXPECT_FALSE(fetches());
}

TEST_F(FetchScheduleTest, TriesAgainAMinuteAfterAFailure) {
    EXPECT_TRUE(fetches(false));
    now_ += seconds(59);
    EXPECT_FALSE(fetches());
    now_ += seconds(1);
    EXPECT_TRUE(fetches(false));
    now_ += minutes(1);
    EXPECT_TRUE(fetches());
    now_ += minutes(1);
    EXPECT_FALSE(fetches());
}

TEST_F(FetchScheduleTest, FetchesAtOnceForAnUnknownKeyButOnlyOnceAMinute) {
    EXPECT_TRUE(fetches());
    schedule_.want(now_);
    EXPECT_TRUE(fetches());
    for (int i = 0; i < 59; ++i) {
        schedule_.want(now_);
        EXPECT_FALSE(fetches()) << i;
        now_ += seconds(1);
    }
    now_ += seconds(1);
    EXPECT_TRUE(fetches()) << "what was wanted earlier is not forgotten";
    now_ += minutes(2);
    EXPECT_FALSE(fetches());
    schedule_.want(now_);
    EXPECT_TRUE(fetches());
}

TEST_F(FetchScheduleTest, AFailureDoesNotDelayAFetchForAnUnknownKey) {
    EXPECT_TRUE(fetches(false));
    schedule_.want(now_);
    EXPECT_TRUE(fetches(false));
    schedule_.want(now_);
    EXPECT_FALSE(fetches());
}

// A valid key set, of a P-256 key with this id.
std::string key_set(const std::string& id) {
    return R"({"keys":[{"kty":"EC","crv":"P-256","kid":")" + id +
           R"(","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
           R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})";
}

class KeyFetcherTest : public testing::Test {
protected:
    KeyFetcher::Source source() {
        return {.name = "https://issuer/keys",
                .fetch = [this]() -> Result<std::string> {
                    const std::lock_guard lock(mutex_);
                    if (answers_.empty()) return Error(ErrorCode::kUnavailable, "no connection");
                    std::string next = std::move(answers_.front());
                    answers_.pop_front();
                    return next;
                },
                .stop = [] {}};
    }
    std::unique_ptr<KeyFetcher> start(std::deque<std::string> answers) {
        answers_ = std::move(answers);
        auto made = std::make_unique<KeyFetcher>(source(), [this](const auth::KeySet& keys) {
            ++used_;
            EXPECT_EQ(keys.size(), 1U);
        });
        made->wait_for_first();
        return made;
    }
    static bool until(const std::function<bool()>& condition) {
        for (int i = 0; i < 1000 && !condition(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return condition();
    }

    std::mutex mutex_;
    std::deque<std::string> answers_;
    std::atomic<int> used_ = 0;
};

TEST_F(KeyFetcherTest, FetchesAtTheStart) {
    const auto fetcher = start({key_set("a")});
    EXPECT_EQ(used_, 1);
    const auto stats = fetcher->stats();
    EXPECT_EQ(stats.successes, 1U);
    EXPECT_EQ(stats.failures, 0U);
    ASSERT_TRUE(stats.age);
    EXPECT_LT(*stats.age, minutes(1));
}

TEST_F(KeyFetcherTest, FetchesNewKeysWhenTheyAreWanted) {
    const auto fetcher = start({key_set("a"), key_set("b")});
    fetcher->want();
    EXPECT_TRUE(until([&] { return used_ == 2; }));
}

TEST_F(KeyFetcherTest, TheSameKeysAreNotNews) {
    const auto fetcher = start({key_set("a"), key_set("a")});
    fetcher->want();
    EXPECT_TRUE(until([&] { return fetcher->stats().successes == 2; }));
    EXPECT_EQ(used_, 1);
}

TEST_F(KeyFetcherTest, KeepsTheKeysWhenAFetchFails) {
    testing::internal::CaptureStderr();
    {
        const auto fetcher = start({key_set("a"), R"({"keys":[]})"});
        fetcher->want();
        EXPECT_TRUE(until([&] { return fetcher->stats().failures == 1; }));
        EXPECT_EQ(used_, 1);
        EXPECT_TRUE(fetcher->stats().age);
    }
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr("event=token_keys_not_fetched url=https://issuer/keys reason="));
}

TEST_F(KeyFetcherTest, StartsWithoutKeysAndFindsThemLater) {
    const auto fetcher = start({});
    EXPECT_EQ(used_, 0);
    EXPECT_FALSE(fetcher->stats().age);
    {
        const std::lock_guard lock(mutex_);
        answers_.push_back(key_set("a"));
    }
    fetcher->want();
    EXPECT_TRUE(until([&] { return used_ == 1; }));
}

}  // namespace key_fetcher_test
}  // namespace orrery::server
