#include "tools/import/sender.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "client/test_server.h"

namespace orrery::tools {
namespace sender_test {

using testing::ElementsAre;
using testing::HasSubstr;

class SenderTest : public testing::Test {
protected:
    // The outcomes of so many items.
    std::vector<std::string> send(std::size_t items, ImportMode mode, bool resumed = false) {
        Sending sending{.items = container_ / "docs",
                        .mode = mode,
                        .resumed = resumed,
                        .has_unique_keys = false,
                        .routes = routes_,
                        .window = window_,
                        .progress = counts_,
                        .throttled = throttled_,
                        .interrupted = never_,
                        .stopped = never_};
        Batch batch;
        for (std::size_t i = 0; i < items; ++i) {
            const std::string id = std::to_string(i);
            const auto ticket = window_.enter({.after = {.source = 0, .records = i}}, 1);
            batch.push_back({.ticket = ticket,
                             .item = {.id = id,
                                      .json = R"({"id":")" + id + R"("})",
                                      .partition_key = R"(["k"])",
                                      .epk = "\x10"}});
        }
        const Status sent = Sender(client_, sending).send(std::move(batch));
        problem_ = sent ? "" : sent.error().message();
        return outcomes_;
    }

    void read_ranges(const std::string& id) {
        server_.answer(200,
                       R"({"PartitionKeyRanges":[{"id":")" + id +
                           R"(","minInclusive":"","maxExclusive":"FF"}]})");
    }
    std::vector<std::string> bodies() const {
        std::vector<std::string> out;
        for (const auto& received : server_.received()) {
            out.push_back(received.body);
        }
        return out;
    }

    void report(const Settled& settled) {
        const Outcome& outcome = settled.outcome;
        outcomes_.push_back(outcome.fate == Fate::kLoaded    ? "loaded"
                            : outcome.fate == Fate::kSkipped ? "skipped"
                                                             : outcome.reason);
    }

    const SystemClock clock_{};
    client::TestServer server_;
    client::Client client_{server_.account(), clock_};
    const client::Path container_ = client::container_path("d", "c");
    Routes routes_{container_};
    std::vector<std::string> outcomes_;
    std::string problem_;
    Window window_{1 << 20, [this](const Settled& settled) { report(settled); }};
    cli::ProgressCounts counts_;
    std::atomic<std::uint64_t> throttled_{0};
    const std::atomic<bool> never_{false};

    void SetUp() override {
        read_ranges("0");
        ASSERT_TRUE(routes_.refresh(client_));
    }
};

constexpr const char* kAlone = R"({"id":"1"})";

TEST_F(SenderTest, RepeatsOnlyWhatWasNotDone) {
    server_.answer(207, R"([{"statusCode":201},{"statusCode":429,"retryAfterMilliseconds":1},
                            {"statusCode":449}])");
    server_.answer(200, R"([{"statusCode":201},{"statusCode":200}])");
    EXPECT_THAT(send(3, ImportMode::kUpsert), ElementsAre("loaded", "loaded", "loaded"));
    EXPECT_EQ(throttled_, 1U);
    const std::string upsert = R"({"operationType":"Upsert","partitionKey":"[\"k\"]",)";
    EXPECT_THAT(bodies().back(),
                "[" + upsert + R"("resourceBody":{"id":"1"}},)" + upsert +
                    R"("resourceBody":{"id":"2"}}])");
}

TEST_F(SenderTest, AsksForTheReasonOfAFailure) {
    server_.answer(207, R"([{"statusCode":201},{"statusCode":400}])");
    server_.answer(400, R"({"code":"BadRequest","message":"Not like this."})");
    EXPECT_THAT(send(2, ImportMode::kUpsert), ElementsAre("loaded", "Not like this."));
    EXPECT_EQ(bodies().back(), kAlone);
}

TEST_F(SenderTest, SendsItemsAloneIfABatchIsRefused) {
    server_.answer(400, R"({"message":"no batches"})");
    server_.answer(201);
    server_.answer(413, R"({"message":"too large"})");
    EXPECT_THAT(send(2, ImportMode::kUpsert), ElementsAre("loaded", "too large"));
}

TEST_F(SenderTest, FindsRangesThatHaveMoved) {
    server_.answer(410);
    read_ranges("1");
    server_.answer(207, R"([{"statusCode":410},{"statusCode":201}])");
    read_ranges("2");
    server_.answer(201);
    EXPECT_THAT(send(2, ImportMode::kUpsert), ElementsAre("loaded", "loaded"));
    EXPECT_EQ(routes_.range_of("\x10"), "2");
}

TEST_F(SenderTest, ConflictsDependOnTheMode) {
    const auto conflicts = [this] {
        outcomes_.clear();
        server_.answer(207, R"([{"statusCode":409},{"statusCode":201}])");
    };
    conflicts();
    EXPECT_THAT(send(2, ImportMode::kSkip), ElementsAre("skipped", "loaded"));
    conflicts();
    EXPECT_THAT(send(2, ImportMode::kCreate), ElementsAre(HasSubstr("already"), "loaded"));
    conflicts();
    EXPECT_THAT(send(2, ImportMode::kUpsert), ElementsAre(HasSubstr("unique key"), "loaded"));
}

TEST_F(SenderTest, ItemsOfAnEarlierRunAreNoConflicts) {
    server_.answer(207, R"([{"statusCode":409},{"statusCode":409}])");
    server_.answer(200, R"({"id":"0","_etag":"e","_ts":1})");
    server_.answer(200, R"({"id":"1","n":1,"_etag":"e"})");
    EXPECT_THAT(send(2, ImportMode::kCreate, true), ElementsAre("loaded", HasSubstr("already")));
}

TEST_F(SenderTest, StopsWhereAllWouldFail) {
    server_.answer(403, R"({"message":"read only"})");
    EXPECT_THAT(send(2, ImportMode::kUpsert), ElementsAre());
    EXPECT_EQ(problem_, "read only");
    server_.answer(207, R"([{"statusCode":201}])");
    send(2, ImportMode::kUpsert);
    EXPECT_THAT(problem_, HasSubstr("answer to a batch"));
}

TEST_F(SenderTest, AFullLogicalPartitionConcernsItsItemsOnly) {
    server_.answer(403, R"({"message":"full"})", "x-ms-substatus: 1014\r\n");
    EXPECT_THAT(send(1, ImportMode::kUpsert), ElementsAre("full"));
    EXPECT_EQ(problem_, "");
}

}  // namespace sender_test
}  // namespace orrery::tools
