#include "tools/bench/operations.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "client/test_server.h"

namespace orrery::tools::bench {
namespace operations_test {

using testing::ElementsAre;
using testing::HasSubstr;

class OperationsTest : public testing::Test {
protected:
    static Space make_space() {
        auto item = ItemTemplate::compile(
            R"({"id":"n{{sequence}}","number":{{sequence}},"v":"{{text 8}}"})", {{"pk"}}, 1);
        EXPECT_TRUE(item);
        return {.container = client::container_path("d", "c"),
                .key_paths = {{"pk"}},
                .item = *std::move(item)};
    }

    std::vector<std::string> received() const {
        std::vector<std::string> out;
        for (const auto& request : server_.received()) {
            out.push_back(request.method + " " + request.target);
        }
        return out;
    }

    const SystemClock clock_{};
    std::atomic<bool> ending_{false};
    client::TestServer server_;
    client::Client client_{server_.account(), clock_, {}, &ending_};
    Space space_ = make_space();
    ItemNumbers numbers_{1};
    Operations operations_{client_, space_, numbers_, ItemChooser({}), ending_};
};

TEST_F(OperationsTest, InsertsTheNextItem) {
    server_.answer(201, "", "x-ms-request-charge: 7.5\r\n");
    const Outcome outcome = operations_.perform(Operation::kInsert);
    EXPECT_TRUE(outcome.good());
    EXPECT_EQ(outcome.charge, 7.5);
    EXPECT_EQ(numbers_.limit(), 2U);
    EXPECT_EQ(server_.received().front().body, space_.item.body(1));
}

TEST_F(OperationsTest, CountsThrottledAttempts) {
    server_.answer(429, "", "x-ms-retry-after-ms: 1\r\nx-ms-request-charge: 0.5\r\n");
    server_.answer(429, "", "x-ms-retry-after-ms: 1\r\nx-ms-request-charge: 0.5\r\n");
    server_.answer(200, "{}", "x-ms-request-charge: 1\r\n");
    const Outcome outcome = operations_.perform(Operation::kRead);
    EXPECT_TRUE(outcome.good());
    EXPECT_EQ(outcome.throttled, 2U);
    EXPECT_EQ(outcome.charge, 2);
}

TEST_F(OperationsTest, ReadsAgainWhenTheItemHasChanged) {
    server_.answer(200, "{}", "etag: \"1\"\r\nx-ms-request-charge: 1\r\n");
    server_.answer(412, "{}", "x-ms-request-charge: 2\r\n");
    server_.answer(200, "{}", "etag: \"2\"\r\nx-ms-request-charge: 1\r\n");
    server_.answer(200, "{}", "x-ms-request-charge: 10\r\n");
    const Outcome outcome = operations_.perform(Operation::kReadModifyWrite);
    EXPECT_TRUE(outcome.good());
    EXPECT_EQ(outcome.conflicts, 1U);
    EXPECT_EQ(outcome.charge, 14);
    EXPECT_THAT(received(),
                ElementsAre("GET /dbs/d/colls/c/docs/n0",
                            "PUT /dbs/d/colls/c/docs/n0",
                            "GET /dbs/d/colls/c/docs/n0",
                            "PUT /dbs/d/colls/c/docs/n0"));
}

TEST_F(OperationsTest, UpdatesWithNewContent) {
    server_.answer(200);
    server_.answer(200);
    EXPECT_TRUE(operations_.perform(Operation::kUpdate).good());
    EXPECT_TRUE(operations_.perform(Operation::kUpdate).good());
    const auto requests = server_.received();
    EXPECT_NE(requests[0].body, requests[1].body);
    EXPECT_NE(requests[0].body, space_.item.body(0));
}

TEST_F(OperationsTest, ReadsQueriesToTheLastPage) {
    server_.answer(200, "{}", "x-ms-item-count: 100\r\nx-ms-continuation: more\r\n");
    server_.answer(200, "{}", "x-ms-item-count: 20\r\n");
    const Outcome outcome = operations_.perform(Operation::kQuery);
    EXPECT_TRUE(outcome.good());
    EXPECT_EQ(outcome.items, 120U);
    const auto requests = server_.received();
    ASSERT_EQ(requests.size(), 2U);
    EXPECT_EQ(requests[1].continuation, "more");
    EXPECT_THAT(requests[0].body, HasSubstr(R"(SELECT * FROM c WHERE c[\"pk\"] = @key0)"));
}

TEST_F(OperationsTest, ScansARangeOfNumbers) {
    server_.answer(200, "{}", "x-ms-item-count: 1\r\n");
    EXPECT_EQ(operations_.perform(Operation::kScan).items, 1U);
    EXPECT_THAT(server_.received().front().body,
                HasSubstr(R"(c[\"number\"] >= @first AND c[\"number\"] < @until)"));
}

TEST_F(OperationsTest, TellsWhatIsHopeless) {
    const auto hopeless = [this](Operation operation, unsigned status, unsigned sub_status = 0) {
        server_.answer(status, "{}", "x-ms-substatus: " + std::to_string(sub_status) + "\r\n");
        const Outcome outcome = operations_.perform(operation);
        EXPECT_FALSE(outcome.good());
        EXPECT_EQ(outcome.status, status);
        return outcome.hopeless;
    };
    EXPECT_TRUE(hopeless(Operation::kRead, 401));
    EXPECT_TRUE(hopeless(Operation::kInsert, 403));
    EXPECT_FALSE(hopeless(Operation::kInsert, 403, client::kLogicalPartitionFull));
    EXPECT_TRUE(hopeless(Operation::kInsert, 404));
    EXPECT_FALSE(hopeless(Operation::kRead, 404));
    EXPECT_FALSE(hopeless(Operation::kInsert, 409));
}

TEST_F(OperationsTest, DoesNotCountWhatIsCutShort) {
    ending_ = true;
    EXPECT_FALSE(operations_.perform(Operation::kInsert).finished);
    EXPECT_FALSE(operations_.perform(Operation::kReadModifyWrite).finished);
    EXPECT_THAT(server_.received(), testing::IsEmpty());
}

TEST_F(OperationsTest, DeletesWhatWasInserted) {
    server_.answer(204);
    server_.answer(404, "{}");
    EXPECT_TRUE(operations_.perform(Operation::kDelete).good());
    // It never was.
    EXPECT_FALSE(operations_.perform(Operation::kDelete).finished);
    EXPECT_THAT(received(),
                ElementsAre("DELETE /dbs/d/colls/c/docs/n1", "DELETE /dbs/d/colls/c/docs/n2"));
}

}  // namespace operations_test
}  // namespace orrery::tools::bench
