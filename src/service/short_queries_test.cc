// Queries on a thread that must not block: short ones are answered there, others go elsewhere.

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/queries.h"
#include "service/test_support.h"

namespace orrery::service {
namespace short_queries_test {

using testing_support::Asked;
using testing_support::ServiceTest;

class ShortQueriesTest : public ServiceTest {
protected:
    ShortQueriesTest() {
        for (int i = 0; i < 400; ++i) {
            const std::string item = fmt::format(
                R"({{"id":"{0}","pk":"p{1}","n":{0},"tags":["t{2}"]}})", i, i % 3, i % 50);
            EXPECT_TRUE(services_.create(container_, item).answer);
        }
    }

    // The number of rows, or the error.
    std::string outcome(std::string_view text,
                        bool may_block = false,
                        const Request& request = in_range()) {
        json::Value body{json::Value::Object()};
        body.set("query", text);
        Asked asked(request);
        asked.context.allowance.may_block = may_block;
        const auto answer =
            services_.queries->run(asked, {}, *container_, {.body = body.text()}, nullptr);
        if (answer) return std::to_string(answer->page.count);
        return answer.error().code() == ErrorCode::kWouldBlock ? "would block"
                                                               : answer.error().message();
    }

    static Request in_range() {
        Request request;
        request.range_id = "0";
        return request;
    }

    catalog::ContainerPtr container_ = services_.container();
};

TEST_F(ShortQueriesTest, AreAnswered) {
    EXPECT_EQ(outcome("SELECT * FROM c WHERE c.n = 5"), "1");
    EXPECT_EQ(outcome("SELECT TOP 20 * FROM c WHERE c.n > 5 ORDER BY c.n"), "20");
    EXPECT_EQ(outcome("SELECT VALUE COUNT(1) FROM c"), "1");
    EXPECT_EQ(outcome("SELECT VALUE COUNT(1) FROM c WHERE c.tags[0] = 't3'"), "1");
    EXPECT_EQ(outcome("SELECT"), outcome("SELECT", true));
}

TEST_F(ShortQueriesTest, LongOnesGoElsewhereAndAreRemembered) {
    const char* scan = "SELECT VALUE COUNT(1) FROM c WHERE c.n % 7 = 1";
    EXPECT_EQ(outcome(scan), "would block");
    EXPECT_EQ(outcome(scan, true), "1");
    EXPECT_EQ(outcome(scan), "would block");
    // Also constants.
    std::string constant = "SELECT * FROM c WHERE c.n = 5 AND c.pk = CONCAT('p'";
    for (int i = 0; i < 40; ++i) {
        constant += ", REPLICATE('p', 9000)";
    }
    constant += ")";
    EXPECT_EQ(outcome(constant), "would block");
    EXPECT_EQ(outcome(constant, true), "0");
    EXPECT_EQ(outcome("SELECT * FROM c WHERE c.n = 5"), "1");
}

TEST_F(ShortQueriesTest, HiddenItemsCount) {
    container_ = services_.container(R"({"id":"expiring","defaultTtl":10})");
    for (int i = 0; i < 100; ++i) {
        const std::string item = fmt::format(R"({{"id":"{}","pk":"a","n":5,"ttl":1}})", i);
        ASSERT_TRUE(services_.create(container_, item).answer);
    }
    ASSERT_TRUE(services_.create(container_, R"({"id":"last","pk":"a","n":6})").answer);
    clock_.advance(std::chrono::seconds(5));
    EXPECT_EQ(outcome("SELECT * FROM c WHERE c.n = 6"), "1");
    EXPECT_EQ(outcome("SELECT * FROM c"), "would block");
    EXPECT_EQ(outcome("SELECT * FROM c", true), "1");
}

TEST_F(ShortQueriesTest, MembersOfAKeyCount) {
    const char* count = "SELECT VALUE COUNT(1) FROM c";
    Request request;
    request.partition_key = R"(["p1"])";
    EXPECT_EQ(outcome(count, false, request), "1");
    for (int i = 0; i < 1'000; ++i) {
        const std::string item = fmt::format(R"({{"id":"m{}","pk":"p1"}})", i);
        ASSERT_TRUE(services_.create(container_, item).answer);
    }
    EXPECT_EQ(outcome(count, false, request), "would block");
    EXPECT_EQ(outcome(count, true, request), "1");
}

}  // namespace short_queries_test
}  // namespace orrery::service
