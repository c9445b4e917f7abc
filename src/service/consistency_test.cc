#include "service/consistency.h"

#include <string>

#include <gtest/gtest.h>

#include "service/item_target.h"
#include "service/test_support.h"

namespace orrery::service {
namespace consistency_test {

using model::ConsistencyLevel;
using testing_support::Asked;
using testing_support::code_of;
using testing_support::item;
using testing_support::must;
using testing_support::ServiceTest;

class ConsistencyTest : public ServiceTest {
protected:
    ConsistencyTest() { EXPECT_TRUE(services_.create(container_, item("1", "a")).answer); }

    std::string check(std::optional<std::string_view> token,
                      std::optional<std::string_view> level = std::nullopt,
                      ConsistencyLevel account = ConsistencyLevel::kSession) {
        Request request;
        request.session_token = token;
        request.consistency_level = level;
        request.account_consistency = account;
        return code_of(check_session(Asked(request), *partition_));
    }

    const catalog::ContainerPtr container_ = services_.container();
    const std::shared_ptr<partition::Partition> partition_ =
        must(services_.partitions->open(*container_, 0));
};

TEST_F(ConsistencyTest, RefusesSessionsAheadOfThePartition) {
    EXPECT_EQ(check(std::nullopt), "ok");
    EXPECT_EQ(check(""), "ok");
    EXPECT_EQ(check("0:-1#1"), "ok");
    EXPECT_EQ(check("0:1"), "ok");
    EXPECT_EQ(check("0:-1#2"), "404/1002");
    EXPECT_EQ(check("5:-1#99"), "ok") << "another range";
    EXPECT_EQ(check("nonsense"), "400");
    EXPECT_EQ(check("0:-1#2", "Session"), "404/1002");
    EXPECT_EQ(check("0:-1#2", "Eventual"), "ok");
    EXPECT_EQ(check("0:-1#2", "ConsistentPrefix"), "ok");
    EXPECT_EQ(position_of(*partition_).lsn, 1);
    EXPECT_EQ(position_of(*partition_, 5).lsn, 5);
}

TEST_F(ConsistencyTest, IgnoresTokensOfAnEarlierContainerOfThatName) {
    const auto again = services_.container(R"({"id":"again"})");
    ASSERT_GT(again->rid.number, container_->rid.number);
    const auto partition = must(services_.partitions->open(*again, 0));
    const auto token = [&](const catalog::Container& container) {
        return "0:" + std::to_string(container.rid.number) + "#99";
    };
    Asked asked;
    const std::string old = token(*container_);
    asked.context.request.session_token = old;
    EXPECT_EQ(code_of(check_session(asked, *partition)), "ok");
    const std::string own = token(*again);
    asked.context.request.session_token = own;
    EXPECT_EQ(code_of(check_session(asked, *partition)), "404/1002");
}

TEST_F(ConsistencyTest, RequestsMayOnlyAskForLess) {
    for (const char* level : {"Session", "ConsistentPrefix", "Eventual"}) {
        EXPECT_EQ(check(std::nullopt, level), "ok") << level;
        EXPECT_EQ(check(std::nullopt, level, ConsistencyLevel::kStrong), "ok") << level;
        EXPECT_EQ(check(std::nullopt, level, ConsistencyLevel::kEventual), "ok") << level;
    }
    EXPECT_EQ(check(std::nullopt, "Strong"), "400");
    EXPECT_EQ(check(std::nullopt, "BoundedStaleness"), "400");
    EXPECT_EQ(check(std::nullopt, "Strong", ConsistencyLevel::kBoundedStaleness), "400");
    EXPECT_EQ(check(std::nullopt, "BoundedStaleness", ConsistencyLevel::kStrong), "ok");
    EXPECT_EQ(check(std::nullopt, "Strong", ConsistencyLevel::kStrong), "ok");
    EXPECT_EQ(check(std::nullopt, "Whatever"), "400");
}

TEST_F(ConsistencyTest, StrongReadsCostTwiceAsMuch) {
    const auto charge = [this](std::optional<std::string_view> level) {
        Asked asked;
        asked.context.request.partition_key = R"(["a"])";
        asked.context.request.consistency_level = level;
        asked.context.request.account_consistency = ConsistencyLevel::kStrong;
        must(services_.items->read(asked, container_, {.id = "1"}));
        return asked.context.receipt.charge;
    };
    EXPECT_EQ(charge("Session"), 1);
    EXPECT_EQ(charge("Strong"), 2);
    EXPECT_EQ(charge("BoundedStaleness"), 2);
    EXPECT_EQ(charge(std::nullopt), 2);
}

}  // namespace consistency_test
}  // namespace orrery::service
