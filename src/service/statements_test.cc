#include "service/statements.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace orrery::service {
namespace statements_test {

std::string numbered(int number) { return "SELECT * FROM c WHERE c.n = " + std::to_string(number); }

TEST(Statements, ParsesATextOnce) {
    Statements statements;
    const auto first = statements.parse("SELECT * FROM c");
    const auto again = statements.parse("SELECT * FROM c");
    const auto other = statements.parse("SELECT *  FROM c");
    ASSERT_TRUE(first && again && other);
    EXPECT_EQ(*first, *again);
    EXPECT_NE(*first, *other);
    EXPECT_EQ(statements.size(), 2U);
}

TEST(Statements, DoesNotKeepInvalidOnes) {
    Statements statements;
    for (const char* text : {"SELECT", "SELECT NOSUCH(1)", ""}) {
        EXPECT_FALSE(statements.parse(text)) << text;
        EXPECT_FALSE(statements.parse(text)) << text;
    }
    EXPECT_EQ(statements.size(), 0U);
}

TEST(Statements, KeepsALimitedLengthAndTheTextsUsedLast) {
    Statements statements;
    const auto favourite = statements.parse(numbered(0));
    ASSERT_TRUE(favourite);
    std::size_t bytes = 0;
    for (int i = 1; bytes < 2 * Statements::kTextBytesMax; ++i) {
        const std::string text = numbered(i) + std::string(500, ' ');
        bytes += text.size();
        ASSERT_TRUE(statements.parse(text));
        if (i % 16 == 0) EXPECT_EQ(*statements.parse(numbered(0)), *favourite);
    }
    EXPECT_LE(statements.size() * 500, Statements::kTextBytesMax);
    EXPECT_GE(statements.size() * 600, Statements::kTextBytesMax * 8 / 10);
}

TEST(Statements, DoesNotKeepLongTexts) {
    Statements statements;
    const std::string text = numbered(1) + std::string(Statements::kOneTextBytesMax, ' ');
    ASSERT_TRUE(statements.parse(text));
    EXPECT_EQ(statements.size(), 0U);
}

TEST(Statements, SharedByThreads) {
    Statements statements;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
            for (int i = 0; i < 500; ++i) {
                EXPECT_TRUE(statements.parse(numbered(i % 50)));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(statements.size(), 50U);
}

// A statement that was long is tried again later: another parameter may make it short.
TEST(Statement, IsTriedAgainAfterManyRuns) {
    const Statement statement(nullptr);
    EXPECT_TRUE(statement.may_be_short());
    statement.was_long();
    int runs = 0;
    while (!statement.may_be_short()) {
        ++runs;
    }
    EXPECT_EQ(runs, 64);
    EXPECT_TRUE(statement.may_be_short());
}

}  // namespace statements_test
}  // namespace orrery::service
