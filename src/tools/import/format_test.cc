#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "tools/import/records.h"

namespace orrery::tools {
namespace format_test {

std::string format(std::string_view path, std::string_view beginning) {
    const auto found = detect_format(path, beginning);
    return found ? name_of(*found) : "none";
}

TEST(FormatTest, IsThatOfTheName) {
    EXPECT_EQ(format("a.csv", "[1"), "csv");
    EXPECT_EQ(format("a.CSV.gz", ""), "csv");
    EXPECT_EQ(format("a.tsv.zst", "a,b"), "tsv");
    EXPECT_EQ(format("a.ndjson", "{\"a\":"), "jsonl");
    EXPECT_EQ(format("a.jsonl", "damaged"), "jsonl");
    EXPECT_EQ(format("a.json", "damaged"), "json");
}

TEST(FormatTest, IsThatOfTheContent) {
    EXPECT_EQ(format("-", " [ {\"id\":\"1\"} ]"), "json");
    EXPECT_EQ(format("a.json", "{\"id\":\"}\"}\n{\"id\""), "jsonl");
    EXPECT_EQ(format("a.json", "{\n\"id\":\"1\"}"), "json");
    EXPECT_EQ(format("a.json", "\r\n{\"id\":\"1\"}\n"), "jsonl");
    EXPECT_EQ(format("-", "id,a\n"), "csv");
    EXPECT_EQ(format("-", "id\ta,b\n"), "tsv");
    EXPECT_EQ(format("-", ""), "jsonl");
    EXPECT_EQ(format("-", "what is this?"), "none");
}

TEST(FormatTest, IsMongoWithItsId) {
    EXPECT_EQ(format("-", "{\"_id\":{\"$oid\":\"1\"}}\n"), "mongo (jsonl)");
    EXPECT_EQ(format("a.json", "[{\"a\":1,\"_id\":1},"), "mongo (json)");
    EXPECT_EQ(format("-", "{\n\"_id\":1}"), "mongo (json)");
    EXPECT_EQ(format("-", "{\"_id\":1,\"id\":\"1\"}\n"), "jsonl");
}

TEST(FormatTest, NeedsTheFirstItem) {
    EXPECT_FALSE(tells_format(""));
    EXPECT_FALSE(tells_format("\n\n"));
    EXPECT_FALSE(tells_format("{\"id\":\n"));
    EXPECT_TRUE(tells_format("{\"id\":\n1}"));
    EXPECT_FALSE(tells_format("[{\"id\":1"));
    EXPECT_TRUE(tells_format("[{\"id\":1},"));
    EXPECT_FALSE(tells_format("id,na"));
    EXPECT_TRUE(tells_format("\nid,name\n"));
}

}  // namespace format_test
}  // namespace orrery::tools
