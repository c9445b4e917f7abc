#include "client/path.h"

#include <gtest/gtest.h>

namespace orrery::client {
namespace path_test {

TEST(PathTest, SignsTheParentOfAFeed) {
    const Path feed{"dbs", "d", "colls"};
    EXPECT_EQ(feed.target(), "/dbs/d/colls");
    EXPECT_EQ(feed.resource_type(), "colls");
    EXPECT_EQ(feed.resource_link(), "dbs/d");
}

TEST(PathTest, SignsAResourceItself) {
    const Path item = container_path("d", "c") / "docs" / "1";
    EXPECT_EQ(item.target(), "/dbs/d/colls/c/docs/1");
    EXPECT_EQ(item.resource_type(), "docs");
    EXPECT_EQ(item.resource_link(), "dbs/d/colls/c/docs/1");
}

TEST(PathTest, SignsTheAccountWithNothing) {
    const Path account;
    EXPECT_EQ(account.target(), "/");
    EXPECT_EQ(account.resource_type(), "");
    EXPECT_EQ(account.resource_link(), "");
}

TEST(PathTest, EncodesNamesInThePathOnly) {
    const Path path{"dbs", "a b/ü"};
    EXPECT_EQ(path.target(), "/dbs/a%20b%2F%C3%BC");
    EXPECT_EQ(path.resource_link(), "dbs/a b/ü");
}

}  // namespace path_test
}  // namespace orrery::client
