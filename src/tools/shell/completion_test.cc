#include "tools/shell/completion.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

namespace orrery::tools {
namespace completion_test {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

class Names final : public KnownNames {
public:
    Names() {
        properties_.learn(
            R"({"id":"1","title":"t","tags":[{"name":"n","n2":1}],"address":{"city":"c","zip":1},"a b":1})");
        properties_.learn(R"({"id":"2","address":{"street":"s"}})");
    }

    std::vector<std::string> databases() override { return {"shop", "shelf", "世界"}; }
    std::vector<std::string> containers(const std::string& database) override {
        return database == "shop" ? std::vector<std::string>{"orders", "customers"}
                                  : std::vector<std::string>{};
    }
    const Properties& properties() override { return properties_; }

private:
    Properties properties_;
};

// What the statement becomes, or is if there are several choices.
std::string completed(const std::string& statement) {
    Names names;
    return statement + complete(statement, names).text;
}

std::vector<std::string> choices(const std::string& statement) {
    Names names;
    return complete(statement, names).choices;
}

TEST(CompletionTest, Commands) {
    EXPECT_EQ(completed("us"), "use ");
    EXPECT_EQ(completed(".m"), ".mode ");
    EXPECT_EQ(completed(".q"), ".quit");
    EXPECT_EQ(completed("sel"), "select ");
    EXPECT_EQ(completed("SEL"), "SELECT ");
    EXPECT_EQ(completed("EXP"), "EXPLAIN ");
    EXPECT_EQ(completed("xyz"), "xyz");
    EXPECT_THAT(choices("."), Contains(".watch"));
}

TEST(CompletionTest, DatabasesAndContainers) {
    EXPECT_EQ(completed("use sho"), "use shop");
    EXPECT_EQ(completed("use s"), "use sh");
    EXPECT_THAT(choices("use sh"), ElementsAre("shelf", "shop"));
    EXPECT_EQ(completed("ls 世"), "ls 世界");
    EXPECT_EQ(completed("use shop/o"), "use shop/orders");
    EXPECT_THAT(choices("use shop/"), ElementsAre("customers", "orders"));
    EXPECT_THAT(choices("use other/"), IsEmpty());
}

TEST(CompletionTest, Arguments) {
    EXPECT_EQ(completed(".mode t"), ".mode table");
    EXPECT_EQ(completed(".throughput a"), ".throughput auto ");
    EXPECT_EQ(completed("put {"), "put {");
}

TEST(CompletionTest, WordsAndFunctions) {
    EXPECT_EQ(completed("SELECT * FROM c WH"), "SELECT * FROM c WHERE ");
    EXPECT_EQ(completed("select * from c wh"), "select * from c where ");
    EXPECT_EQ(completed("SELECT ARRAY_CONC"), "SELECT ARRAY_CONCAT(");
    EXPECT_EQ(completed("select startsw"), "select startswith(");
    EXPECT_EQ(completed("SELECT COU"), "SELECT COUNT(");
    EXPECT_THAT(choices("SELECT 'WH"), IsEmpty());
    EXPECT_THAT(choices("SELECT * FROM c "), IsEmpty());
}

TEST(CompletionTest, Properties) {
    EXPECT_EQ(completed("SELECT c.ti"), "SELECT c.title");
    EXPECT_THAT(choices("SELECT * FROM c WHERE c."), ElementsAre("address", "id", "tags", "title"));
    EXPECT_EQ(completed("SELECT * FROM c WHERE c.address.ci"),
              "SELECT * FROM c WHERE c.address.city");
    EXPECT_THAT(choices("SELECT * FROM c WHERE c.address."), ElementsAre("city", "street", "zip"));
    EXPECT_EQ(completed("SELECT c.tags[0].na"), "SELECT c.tags[0].name");
    EXPECT_THAT(choices("SELECT c.missing."), IsEmpty());
    EXPECT_THAT(choices("SELECT 5."), IsEmpty());
}

TEST(CompletionTest, PropertiesOfJoins) {
    EXPECT_EQ(completed("SELECT * FROM c JOIN t IN c.tags WHERE t.na"),
              "SELECT * FROM c JOIN t IN c.tags WHERE t.name");
    EXPECT_EQ(completed("SELECT * FROM c.address AS a WHERE a.ci"),
              "SELECT * FROM c.address AS a WHERE a.city");
    EXPECT_THAT(choices("SELECT * FROM items x WHERE x."), Contains("title"));
}

TEST(CompletionTest, ContinuesOverLines) {
    EXPECT_EQ(completed("SELECT *\nFROM c\nWHERE c.ti"), "SELECT *\nFROM c\nWHERE c.title");
}

TEST(PropertiesTest, AreLimited) {
    Properties properties;
    std::string item = "{";
    for (int i = 0; i < 20'000; ++i) {
        item += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":1";
    }
    properties.learn(item + "}");
    EXPECT_EQ(properties.below({}).size(), 5000U);
    properties.clear();
    EXPECT_TRUE(properties.empty());
}

}  // namespace completion_test
}  // namespace orrery::tools
