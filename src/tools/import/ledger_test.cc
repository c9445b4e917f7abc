#include "tools/import/ledger.h"

#include <fstream>
#include <gmock/gmock.h>
#include <sstream>

#include <gtest/gtest.h>

namespace orrery::tools {
namespace ledger_test {

using testing::ElementsAre;
using testing::HasSubstr;

std::string content(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream out;
    out << file.rdbuf();
    return out.str();
}

class LedgerTest : public testing::Test {
protected:
    void SetUp() override { remove_files(); }
    void TearDown() override { remove_files(); }
    void remove_files() const {
        std::remove(checkpoint_.c_str());
        std::remove(errors_.c_str());
    }

    LedgerOptions options() const {
        return {.sources = {"a", "b"},
                .import = "this",
                .errors_file = errors_,
                .checkpoint_file = checkpoint_,
                .restart = false};
    }
    static Settled settled(std::uint64_t record, Fate fate) {
        return {.after = {.source = 1, .records = record},
                .line = 10 + record,
                .outcome = {.fate = fate,
                            .reason = fate == Fate::kFailed ? "bad" : "",
                            .item = fate == Fate::kFailed ? "{ \"a\" : 1}" : ""}};
    }

    const std::string checkpoint_ = testing::TempDir() + "orrery-ledger-checkpoint";
    const std::string errors_ = testing::TempDir() + "orrery-ledger-errors";
    cli::ProgressCounts counts_;
};

constexpr const char* kFailure = "{\"source\":\"b:12\",\"reason\":\"bad\",\"item\":{\"a\":1}}\n";

TEST_F(LedgerTest, CountsAndGoesOn) {
    {
        Ledger ledger(options(), counts_);
        ASSERT_TRUE(ledger.open());
        EXPECT_FALSE(ledger.resumed());
        ledger.record(settled(1, Fate::kLoaded));
        ledger.record(settled(2, Fate::kFailed));
        ledger.record(settled(3, Fate::kSkipped));
        EXPECT_THAT(ledger.shown(), ElementsAre("b:12: bad"));
        ASSERT_TRUE(ledger.finish(false));
    }
    std::ofstream(errors_, std::ios::app) << "of records after the checkpoint\n";
    Ledger ledger(options(), counts_);
    ASSERT_TRUE(ledger.open());
    EXPECT_TRUE(ledger.resumed());
    EXPECT_EQ(ledger.start(), (Position{.source = 1, .records = 3}));
    EXPECT_EQ(content(errors_), kFailure);
    ledger.record(settled(4, Fate::kLoaded));
    EXPECT_EQ(ledger.totals(), (Totals{.loaded = 2, .skipped = 1, .failed = 1}));
    ASSERT_TRUE(ledger.finish(true));
    EXPECT_EQ(content(errors_), kFailure);
    EXPECT_FALSE(*load_checkpoint(checkpoint_));
}

TEST_F(LedgerTest, KeepsTextThatIsNotJson) {
    Ledger ledger(options(), counts_);
    ASSERT_TRUE(ledger.open());
    Settled damaged = settled(1, Fate::kFailed);
    damaged.outcome.item = "{\"\xff";
    ledger.record(damaged);
    EXPECT_EQ(content(errors_),
              "{\"source\":\"b:11\",\"reason\":\"bad\",\"item\":\"{\\\"\xEF\xBF\xBD\"}\n");
}

TEST_F(LedgerTest, RefusesTheCheckpointOfAnotherImport) {
    ASSERT_TRUE(save_checkpoint(checkpoint_, {.import = "another", .position = {}, .totals = {}}));
    {
        Ledger ledger(options(), counts_);
        const Status opened = ledger.open();
        ASSERT_FALSE(opened);
        EXPECT_THAT(opened.error().message(), HasSubstr("another import"));
    }
    LedgerOptions restart = options();
    restart.restart = true;
    EXPECT_TRUE(Ledger(restart, counts_).open());
}

TEST_F(LedgerTest, NoticesFilesThatCannotBeWritten) {
    LedgerOptions wrong = options();
    wrong.checkpoint_file = "/does/not/exist";
    EXPECT_FALSE(Ledger(wrong, counts_).open());
    wrong = options();
    wrong.errors_file = "/does/not/exist";
    EXPECT_FALSE(Ledger(wrong, counts_).open());
}

TEST_F(LedgerTest, ReadsCheckpointsBack) {
    const Checkpoint checkpoint{.import = "x",
                                .position = {.source = 2, .records = 3},
                                .totals = {.loaded = 4, .skipped = 5, .failed = 6},
                                .errors_bytes = 7};
    ASSERT_TRUE(save_checkpoint(checkpoint_, checkpoint));
    EXPECT_EQ(**load_checkpoint(checkpoint_), checkpoint);
    for (const char* damaged : {"",
                                "{}",
                                "{\"version\":2,\"import\":\"x\"}",
                                "nonsense",
                                "{\"version\":1,\"import\":\"x\",\"source\":-1}"}) {
        std::ofstream(checkpoint_) << damaged;
        EXPECT_FALSE(load_checkpoint(checkpoint_)) << damaged;
    }
}

}  // namespace ledger_test
}  // namespace orrery::tools
