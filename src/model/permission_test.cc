#include "model/permission.h"

#include <gtest/gtest.h>

#include "model/test_support.h"

namespace orrery::model {
namespace permission_test {

using testing_support::parsed;

TEST(Permission, ReadsAndPrintsWhatClientsSend) {
    const char* text =
        R"({"id":"p","permissionMode":"all","resource":"/dbs/d/colls/c/","resourcePartitionKey":["a",1]})";
    const auto permission = parse_permission_definition(parsed(text));
    ASSERT_TRUE(permission);
    EXPECT_EQ(permission->mode, PermissionMode::kAll);
    EXPECT_EQ(to_json(*permission).text(), text);
}

TEST(Permission, WithoutComponentsTheKeyRestrictsNothing) {
    const auto permission = parse_permission_definition(parsed(
        R"({"id":"p","permissionMode":"Read","resource":"dbs/d/colls/c","resourcePartitionKey":[]})"));
    ASSERT_TRUE(permission);
    EXPECT_FALSE(permission->partition_key);
}

TEST(ResourceLink, TakesContainersAndWhatIsInThem) {
    const auto item = parse_resource_link("/DBS/d/Colls/c/Docs/a/b/");
    ASSERT_TRUE(item);
    EXPECT_EQ(item->database, "d");
    EXPECT_EQ(item->container, "c");
    EXPECT_EQ(item->child_type, "docs");
    EXPECT_EQ(item->child, "a/b");
    EXPECT_EQ(item->text(), "dbs/d/colls/c/docs/a/b");
    EXPECT_EQ(parse_resource_link("dbs/d/colls/c")->text(), "dbs/d/colls/c");
}

TEST(ResourceLink, RefusesEverythingElse) {
    for (const char* link : {"",
                             "/",
                             "dbs",
                             "dbs/d",
                             "dbs/d/colls",
                             "dbs//colls/c",
                             "dbs/d/colls//docs/i",
                             "dbs/d/users/u",
                             "dbs/d/colls/c/docs",
                             "dbs/d/colls/c/pkranges/0",
                             "offers/abcd",
                             "colls/c/dbs/d"}) {
        EXPECT_FALSE(parse_resource_link(link)) << link;
    }
}

}  // namespace permission_test
}  // namespace orrery::model
