#include "tools/shell/statements.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

namespace orrery::tools {
namespace statements_test {

using testing::ElementsAre;

// The statements of a text, and what is left at its end.
std::vector<std::string> split(const std::vector<std::string>& lines, bool interactive) {
    Statements statements(interactive);
    std::vector<std::string> out;
    for (const std::string& line : lines) {
        for (std::string& statement : statements.add(line)) {
            out.push_back(std::move(statement));
        }
    }
    if (const auto last = statements.finish()) out.push_back("unfinished: " + *last);
    return out;
}

std::vector<std::string> entered(const std::vector<std::string>& lines) {
    return split(lines, true);
}
std::vector<std::string> scripted(const std::vector<std::string>& lines) {
    return split(lines, false);
}

TEST(StatementsTest, CommandsAreLines) {
    EXPECT_THAT(entered({"use db/c", "  ls  ", ".quit;"}), ElementsAre("use db/c", "ls", ".quit"));
    EXPECT_THAT(entered({"", "-- a comment", "# another", ";"}), ElementsAre());
    EXPECT_THAT(entered({"rm a;b"}), ElementsAre("rm a;b"));
}

TEST(StatementsTest, QueriesEndWithASemicolon) {
    EXPECT_THAT(entered({"SELECT *", "FROM c", "WHERE c.x = 1;"}),
                ElementsAre("SELECT *\nFROM c\nWHERE c.x = 1"));
    EXPECT_THAT(entered({"SELECT 1; SELECT 2; ls"}), ElementsAre("SELECT 1", "SELECT 2", "ls"));
    EXPECT_THAT(entered({"SELECT 1 +", "1; ; SELECT 2 +"}),
                ElementsAre("SELECT 1 +\n1", "unfinished: SELECT 2 +"));
}

TEST(StatementsTest, SemicolonsInStringsAndCommentsAreText) {
    EXPECT_THAT(entered({R"(SELECT "a;b" FROM c WHERE c.x = 'it\';';)"}),
                ElementsAre(R"(SELECT "a;b" FROM c WHERE c.x = 'it\';')"));
    EXPECT_THAT(scripted({"SELECT c.x -- not; here", "FROM c;"}),
                ElementsAre("SELECT c.x -- not; here\nFROM c"));
    EXPECT_THAT(scripted({"SELECT 'a;", "b' FROM c;"}), ElementsAre("SELECT 'a;\nb' FROM c"));
}

TEST(StatementsTest, OneCompleteLineNeedsNoSemicolon) {
    EXPECT_THAT(entered({"select * from c", "explain select * from c", "SELECT VALUE 1"}),
                ElementsAre("select * from c", "explain select * from c", "SELECT VALUE 1"));
    // Could be parsed, but there is no FROM yet.
    EXPECT_THAT(entered({"SELECT c.id", "FROM c;"}), ElementsAre("SELECT c.id\nFROM c"));
    EXPECT_THAT(entered({"SELECT *", "FROM c", "ORDER BY c.x;"}),
                ElementsAre("SELECT *\nFROM c\nORDER BY c.x"));
    EXPECT_THAT(entered({"SELECT * FORM c", "ls"}), ElementsAre("unfinished: SELECT * FORM c\nls"));
}

TEST(StatementsTest, ScriptsMayGoOnWithTheNextLine) {
    EXPECT_THAT(
        scripted({"SELECT * FROM c", "WHERE c.x = 1", "ls", "SELECT 1", "SELECT 2"}),
        ElementsAre("SELECT * FROM c\nWHERE c.x = 1", "ls", "SELECT 1", "unfinished: SELECT 2"));
    EXPECT_THAT(scripted({"SELECT * FROM c WHERE EXISTS(", "SELECT VALUE 1", ")"}),
                ElementsAre("unfinished: SELECT * FROM c WHERE EXISTS(\nSELECT VALUE 1\n)"));
}

TEST(StatementsTest, PutGoesOnUntilItsBracketsAreClosed) {
    EXPECT_THAT(entered({"put {", R"("id":"};{",)", R"("o":[1])", "};", "ls"}),
                ElementsAre("put {\n\"id\":\"};{\",\n\"o\":[1]\n}", "ls"));
    EXPECT_THAT(entered({R"(put {"id":"unclosed)", "ls"}),
                ElementsAre(R"(put {"id":"unclosed)", "ls"));
    EXPECT_THAT(entered({"put", "put 1"}), ElementsAre("put", "put 1"));
}

TEST(StatementsTest, ForgetsWhatWasCancelled) {
    Statements statements(true);
    EXPECT_THAT(statements.add("SELECT"), ElementsAre());
    EXPECT_TRUE(statements.pending());
    statements.clear();
    EXPECT_FALSE(statements.pending());
    EXPECT_THAT(statements.add("ls"), ElementsAre("ls"));
}

}  // namespace statements_test
}  // namespace orrery::tools
