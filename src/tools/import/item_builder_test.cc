#include "tools/import/item_builder.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

namespace orrery::tools {
namespace item_builder_test {

using testing::HasSubstr;

class ItemBuilderTest : public testing::Test {
protected:
    static model::ContainerDefinition definition(const std::string& paths,
                                                 const std::string& kind) {
        const auto body = json::Value::parse(R"({"id":"c","partitionKey":{"paths":)" + paths +
                                             R"(,"kind":")" + kind + R"(","version":2}})");
        return model::parse_container_definition(*body, {}).take();
    }

    std::string build(const std::string& text,
                      const ItemRules& rules = {},
                      bool mongo = false) const {
        const auto item = ItemBuilder(definition_, rules).build(text, mongo, origin_);
        return item ? item->json + " " + item->partition_key : item.error().message();
    }
    std::string id(const std::string& text) const {
        const ItemBuilder builder(definition_, {.generate_ids = true});
        return builder.build(text, false, origin_)->id;
    }

    model::ContainerDefinition definition_ = definition(R"(["/pk/a"])", "Hash");
    Origin origin_{.source = "file", .record = 7};
};

TEST_F(ItemBuilderTest, KeepsItems) {
    EXPECT_EQ(build(R"( {"n":1.50, "id":"1","pk":{"a":"x"},"_etag":"e","_ts":1} )"),
              R"({"n":1.50,"id":"1","pk":{"a":"x"}} ["x"])");
    EXPECT_EQ(build(R"({"id":"1"})"), R"({"id":"1"} [{}])");
    EXPECT_THAT(build(R"({"n":1})"), HasSubstr("'id; '"));
    EXPECT_THAT(build("[1]"), HasSubstr("must be an object"));
}

TEST_F(ItemBuilderTest, GeneratesIds) {
    const std::string first = id(R"({"n":1})");
    EXPECT_EQ(first.size(), 32U);
    EXPECT_EQ(id(R"({"n":1})"), first);
    EXPECT_NE(id(R"({"n":2})"), first);
    origin_.record = 8;
    EXPECT_NE(id(R"({"n":1})"), first);
    origin_ = {.source = "other", .record = 7};
    EXPECT_NE(id(R"({"n":1})"), first);
    EXPECT_EQ(id(R"({"id":"mine"})"), "mine");
}

TEST_F(ItemBuilderTest, MapsIds) {
    const ItemRules rules{.id_from = {"a", "b"}};
    EXPECT_EQ(build(R"({"a":{"b":1.50},"id":"old"})", rules),
              R"({"a":{"b":1.50},"id":"1.50"} [{}])");
    EXPECT_THAT(build(R"({"a":1})", rules), HasSubstr("no /a/b"));
    EXPECT_THAT(build(R"({"a":{"b":[]}})", rules), HasSubstr("neither text nor number"));
    EXPECT_THAT(build(R"({"a":{"b":null}})", rules), HasSubstr("neither text nor number"));
    EXPECT_THAT(build("7", rules), HasSubstr("not an object"));
}

TEST_F(ItemBuilderTest, MapsPartitionKeys) {
    const ItemRules rules{.key_from = {{"k"}}};
    EXPECT_EQ(build(R"({"id":"1","k":7})", rules), R"({"id":"1","k":7,"pk":{"a":7}} [7])");
    EXPECT_EQ(build(R"({"id":"1","k":7,"pk":{"b":1}})", rules),
              R"({"id":"1","k":7,"pk":{"b":1,"a":7}} [7])");
    EXPECT_EQ(build(R"({"id":"1"})", rules), R"({"id":"1"} [{}])");
    EXPECT_THAT(build(R"({"id":"1","k":7,"pk":1})", rules), HasSubstr("pk is not an object"));
    EXPECT_THAT(build(R"({"id":"1","k":{}})", rules), HasSubstr("cannot be a partition key"));
    definition_ = definition(R"(["/x","/y"])", "MultiHash");
    EXPECT_EQ(build(R"({"id":"1","a":1,"b":2})", {.key_from = {{"a"}, {"b"}}}),
              R"({"id":"1","a":1,"b":2,"x":1,"y":2} [1,2])");
}

TEST_F(ItemBuilderTest, RenamesMongosId) {
    EXPECT_EQ(build(R"({"a":1,"_id":{"$oid":"5f"}})", {}, true), R"({"a":1,"id":"5f"} [{}])");
    EXPECT_EQ(build(R"({"_id":7})", {}, true), R"({"id":"7"} [{}])");
    EXPECT_THAT(build(R"({"_id":{"a":1}})", {}, true), HasSubstr("'id; '"));
    EXPECT_EQ(build(R"({"_id":{"a":1},"n":5})", {.id_from = {"n"}}, true),
              R"({"_id":{"a":1},"n":5,"id":"5"} [{}])");
}

TEST_F(ItemBuilderTest, ParsesProperties) {
    EXPECT_EQ(*parse_property("a.b"), (json::Path{"a.b"}));
    EXPECT_EQ(*parse_property("/a/\"b c\""), (json::Path{"a", "b c"}));
    EXPECT_FALSE(parse_property(""));
    EXPECT_FALSE(parse_property("/"));
}

}  // namespace item_builder_test
}  // namespace orrery::tools
