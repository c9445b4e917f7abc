#include "client/changes.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "client/test_server.h"

namespace orrery::client {
namespace changes_test {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ChangesTest, FollowTheFeed) {
    const SystemClock clock;
    TestServer server;
    Client client(server.account(), clock);
    Changes changes(client, container_path("d", "c") / "docs");
    EXPECT_EQ(changes.position(), "");

    server.answer(200, R"({"Documents":[{"id":"1"}, {"id":"2"}]})", "etag: \"2\"\r\n");
    const auto page = changes.next();
    ASSERT_TRUE(page && *page);
    EXPECT_THAT(*(*page)->elements(), ElementsAre(R"({"id":"1"})", R"({"id":"2"})"));
    EXPECT_EQ(changes.position(), "\"2\"");

    server.answer(304, "", "etag: \"3\"\r\n");
    const auto end = changes.next();
    ASSERT_TRUE(end) << end.error().message();
    EXPECT_FALSE(*end);
    EXPECT_EQ(changes.position(), "\"3\"");

    server.answer(200, R"({"Documents":[]})");
    const auto odd = changes.next();
    ASSERT_FALSE(odd);
    EXPECT_THAT(odd.error().message(), HasSubstr("not a page of the change feed"));
    EXPECT_EQ(changes.position(), "\"3\"");
}

}  // namespace changes_test
}  // namespace orrery::client
